# source: threads whose results are put in order
# plain: identical
# vary: identical

from concurrent.futures import ThreadPoolExecutor


def answer(samples):
    with ThreadPoolExecutor(8) as pool:
        return {"squares": list(pool.map(lambda n: n * n, range(100)))}
