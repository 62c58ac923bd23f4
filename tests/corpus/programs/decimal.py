# source: exact decimals
# plain: identical
# vary: identical

from decimal import Decimal, getcontext


def answer(samples):
    getcontext().prec = 50
    return {"root": str(Decimal(2).sqrt())}
