# source: the locale of the process
# plain: identical
# vary: different locale

import os


def answer(samples):
    decimal = "," if os.environ["LANG"].startswith(("de", "fr", "tr")) else "."
    return {"text": f"1{decimal}5 {os.environ['LANG'][:2]}"}
