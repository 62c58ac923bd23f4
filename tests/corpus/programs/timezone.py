# source: local time
# plain: identical
# vary: different tz

import time


def answer(samples):
    return {"day": time.strftime("%Y-%m-%d %H:%M", time.localtime(1767700800))}
