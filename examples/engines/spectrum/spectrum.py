"""A power spectrum by the definition of the discrete Fourier transform: slow, short, and the same everywhere.

RUN_INPUT on standard input, the output document on standard output; affidavit adds the hashes.
"""

import json
import math
import sys

WINDOWS = {
    "rectangular": lambda _n, _size: 1.0,
    "hann": lambda n, size: 0.5 - 0.5 * math.cos(2 * math.pi * n / size),
}


def rounded(value: float) -> float:
    """Twelve significant digits: the same whatever mathematics library is installed."""
    return float(f"{value:.12g}")


def spectrum(samples: list[float], window: str) -> list[float]:
    """The power at each frequency from 0 to half the sample rate."""
    size = len(samples)
    weighted = [value * WINDOWS[window](n, size) for n, value in enumerate(samples)]
    powers = []
    for k in range(size // 2 + 1):
        # k * n is reduced first: a cosine of a large angle is where libraries differ
        angles = [2 * math.pi * (k * n % size) / size for n in range(size)]
        real = math.fsum(value * math.cos(angle) for value, angle in zip(weighted, angles, strict=True))
        imaginary = math.fsum(value * math.sin(angle) for value, angle in zip(weighted, angles, strict=True))
        powers.append(rounded((real * real + imaginary * imaginary) / size))
    return powers


def main() -> None:
    given = json.load(sys.stdin)
    samples, parameters = given["inputs"]["samples"], given["parameters"]
    powers = spectrum(samples, parameters["window"])
    peak = max(range(len(powers)), key=powers.__getitem__)
    frequency = rounded(peak * parameters["sample_rate_hz"] / len(samples))
    json.dump(
        {
            "run_id": given["run_id"],
            "engine": {"engine_code": "SPECTRA", "engine_version": "1.0.0"},
            "outputs": {"peak": {"frequency_hz": frequency, "power": powers[peak]}, "power": powers},
            "metrics": {"samples": len(samples)},
            "semantics": "DETERMINISTIC_TRANSFORM",
        },
        sys.stdout,
    )


main()
