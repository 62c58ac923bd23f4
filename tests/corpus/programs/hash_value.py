# source: the hash of a string
# plain: identical
# vary: different hashseed


def answer(samples):
    return {"bucket": hash("sample") % 1000003}
