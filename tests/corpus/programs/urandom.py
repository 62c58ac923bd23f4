# source: random bytes of the system
# plain: different random
# vary: different random

import os


def answer(samples):
    return {"token": os.urandom(16).hex()}
