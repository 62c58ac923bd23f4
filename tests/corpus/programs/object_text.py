# source: the text of an object that has none
# plain: different address
# vary: different address


def answer(samples):
    return {"first": repr(object())}
