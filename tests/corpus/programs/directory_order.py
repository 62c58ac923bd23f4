# source: the order in which a folder lists its files
# plain: identical
# vary: different order

import os


def answer(samples):
    return {"parts": os.listdir("parts")}
