# source: a seeded generator
# plain: identical
# vary: identical

import random


def answer(samples):
    chance = random.Random(7)
    return {"picks": [chance.random() for _ in range(20)]}
