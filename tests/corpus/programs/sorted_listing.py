# source: a folder's files, sorted
# plain: identical
# vary: identical

import os


def answer(samples):
    return {"parts": sorted(os.listdir("parts"))}
