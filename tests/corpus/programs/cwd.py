# source: the folder it runs in
# plain: identical
# vary: different cwd

import os


def answer(samples):
    return {"read": os.path.abspath("parts")}
