# source: an identifier of time and chance
# plain: different random time
# vary: different random time

import uuid


def answer(samples):
    return {"id": str(uuid.uuid1())}
