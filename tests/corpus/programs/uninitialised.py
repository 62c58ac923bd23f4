# source: memory that nobody wrote to
# plain: different address
# vary: different address

import ctypes

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def answer(samples):
    size = 1 << 12
    held = [libc.malloc(size) for _ in range(8)]
    for block in held[::2]:
        libc.free(block)
    again = libc.malloc(size)
    return {"read": ctypes.string_at(again, 16).hex()}
