# source: the first file that a walk finds
# plain: identical
# vary: different order

import os


def answer(samples):
    return {"files": [name for _, _, names in os.walk("parts") for name in names]}
