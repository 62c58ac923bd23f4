# source: the order in which processes write
# plain: different scheduling
# vary: different scheduling

import os


def answer(samples):
    reading, writing = os.pipe()
    children = []
    for name in b"abcdefgh":
        child = os.fork()
        if not child:
            for step in range(400):
                sum(range(4000))
                os.write(writing, bytes([name]))
            os._exit(0)
        children.append(child)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return {"order": pipe.read().decode()}
