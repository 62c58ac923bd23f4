# source: nothing
# plain: identical
# vary: identical


def answer(samples):
    return {"total": sum(samples)}
