# source: the name of a temporary file
# plain: different random
# vary: different random

import tempfile


def answer(samples):
    with tempfile.NamedTemporaryFile() as file:
        return {"wrote": file.name}
