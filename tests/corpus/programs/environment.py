# source: all of the environment
# plain: identical
# vary: different cwd hashseed locale pid time tz

import os


def answer(samples):
    return {"environment": sorted(f"{name}={value}" for name, value in os.environ.items())}
