# source: an exact sum in any order
# plain: identical
# vary: identical

import math


def answer(samples):
    return {"total": math.fsum({f"v{n}": 10.0 ** (n % 17) + 1.0 / (n + 3) for n in range(200)}.values())}
