# source: the sum of floats in the order of a set
# plain: identical
# vary: different hashseed


def answer(samples):
    values = {f"v{n}": 10.0 ** (n % 17) + 1.0 / (n + 3) for n in range(200)}
    total = 0.0
    for name in set(values):
        total += values[name]
    return {"total": repr(total), "order": list(set(values))[:5]}
