# source: the time of day, to the nanosecond
# plain: different time
# vary: different time

import time


def answer(samples):
    return {"at": str(time.time_ns())}
