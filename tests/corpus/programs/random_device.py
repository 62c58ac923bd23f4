# source: random bytes of a device
# plain: different random
# vary: different random


def answer(samples):
    with open("/dev/urandom", "rb") as device:
        return {"token": device.read(16).hex()}
