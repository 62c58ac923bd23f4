# source: a random identifier
# plain: different random
# vary: different random

import uuid


def answer(samples):
    return {"id": str(uuid.uuid4())}
