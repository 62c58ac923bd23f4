# source: the number of the process
# plain: identical
# vary: different pid

import os


def answer(samples):
    return {"worker": os.getpid()}
