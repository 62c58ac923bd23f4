# source: the name of the host
# plain: identical
# vary: different hostname

import socket


def answer(samples):
    return {"on": socket.gethostname()}
