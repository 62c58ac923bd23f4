# source: a given instant in UTC
# plain: identical
# vary: identical

import time


def answer(samples):
    return {"day": time.strftime("%Y-%m-%d %H:%M", time.gmtime(1767700800))}
