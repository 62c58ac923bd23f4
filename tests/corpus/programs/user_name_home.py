# source: what the user database says of the user
# plain: identical
# vary: different uid

import pwd


def answer(samples):
    return {"owner": pwd.getpwnam("sandbox").pw_uid}
