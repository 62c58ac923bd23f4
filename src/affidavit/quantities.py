"""Sizes and ages for a person."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB", "TB")
_SPANS = ((86_400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def size(count: int) -> str:
    """A number of bytes."""
    number = float(count)
    for unit in _UNITS[:-1]:
        if number < 1000:
            return f"{count} B" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} {_UNITS[-1]}"


def age(seconds: float) -> str:
    """How long ago something was."""
    if seconds < 0:
        return "in the future"
    # in the unit that there are at least two of: one of a unit says too little
    unit, name = next((span for span in _SPANS if seconds >= 2 * span[0]), _SPANS[-1])
    count = int(seconds // unit)
    return f"{count} {name.removesuffix('s') if count == 1 else name} ago"
