# source: where an object lies in memory
# plain: different address
# vary: different address


def answer(samples):
    return {"key": id(samples)}
