"""Equality as JSON has it once types count: 1 is not 1.0 is not True, and 0.0 is not -0.0."""

from __future__ import annotations

import math


def same(left: object, right: object) -> bool:
    if type(left) is not type(right):
        return False
    if type(left) is dict and type(right) is dict:
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if type(left) is list and type(right) is list:
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) is float and type(right) is float:
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right
