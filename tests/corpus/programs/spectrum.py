# source: a Fourier transform
# plain: identical
# vary: identical

import cmath


def answer(samples):
    size = len(samples)
    return {
        "power": [
            abs(sum(value * cmath.exp(-2j * cmath.pi * k * n / size) for n, value in enumerate(samples)))
            for k in range(size)
        ]
    }
