# source: the user
# plain: identical
# vary: different uid

import os


def answer(samples):
    return {"owner": os.getuid()}
