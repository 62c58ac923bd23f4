# source: the year
# plain: identical
# vary: different time

import time


def answer(samples):
    return {"year": time.strftime("%Y-%m")}
