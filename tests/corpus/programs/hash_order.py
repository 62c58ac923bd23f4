# source: the order of a set of strings
# plain: identical
# vary: different hashseed


def answer(samples):
    return {"words": list({f"word{n}" for n in range(40)})}
