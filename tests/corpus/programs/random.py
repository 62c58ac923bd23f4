# source: an unseeded generator
# plain: different random
# vary: different random

import random


def answer(samples):
    return {"pick": random.random()}
