# source: a dictionary's own order
# plain: identical
# vary: identical


def answer(samples):
    table = {}
    for n in range(50):
        table[f"k{n * 7 % 50}"] = n
    return {"keys": list(table), "pairs": sorted(table.items())}
