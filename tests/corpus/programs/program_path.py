# source: the path of the program
# plain: identical
# vary: different cwd

import os


def answer(samples):
    return {"by": os.path.realpath(__file__)}
