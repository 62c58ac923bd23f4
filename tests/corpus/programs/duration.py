# source: how long a step took
# plain: different time
# vary: different time

import time


def answer(samples):
    start = time.perf_counter_ns()
    total = sum(samples)
    return {"total": total, "took": str(time.perf_counter_ns() - start)}
