# source: a sample drawn by chance
# plain: different random
# vary: different random

import random


def answer(samples):
    order = list(range(40))
    random.shuffle(order)
    return {"order": order}
