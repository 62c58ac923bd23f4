# source: a hash of the content
# plain: identical
# vary: identical

import hashlib


def answer(samples):
    return {"sha256": hashlib.sha256(repr(samples).encode()).hexdigest()}
