"""ECMAScript's number text (RFC 8785, 3.2.2.3) and what an integer literal may say (contracts 1)."""

from __future__ import annotations

from ..values import MAX_SAFE_INTEGER


def number_text(value: float) -> str:
    """The text ECMAScript's Number::toString gives a finite double.

    `repr` yields the shortest digits that read back as the same double, the closest to it where several are as short;
    that is ECMAScript's choice of digits too. Only the layout differs: ECMAScript writes 1e-6 <= |x| < 1e21 plainly.
    """
    text = repr(value)
    if "e" not in text:  # repr writes 1e-4 <= |x| < 1e16 plainly
        if text.endswith(".0"):
            text = text[:-2]
            return "0" if text == "-0" else text
        return text
    mantissa, _, exponent = text.partition("e")
    sign = ""
    if mantissa[0] == "-":
        sign, mantissa = "-", mantissa[1:]
    digits = mantissa.replace(".", "")
    point = int(exponent) + 1  # the decimal point stands after this many digits
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    rest = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"


#: No double has more integer digits than this; also keeps int() away from texts it takes quadratic time for.
_MAX_INTEGER_DIGITS = 310


def integer_literal(literal: str) -> int | float | None:
    """The number that an integer literal (no fraction, no exponent) stands for, or None when it must be refused.

    Beyond +-(2^53-1) a literal is refused unless it is exactly the JCS text of the double it denotes, so that nothing
    we write is refused and nothing we read is silently rounded.
    """
    if len(literal) < 16:
        return int(literal)
    if len(literal) > _MAX_INTEGER_DIGITS:
        return None
    whole = int(literal)
    if -MAX_SAFE_INTEGER <= whole <= MAX_SAFE_INTEGER:
        return whole
    try:
        double = float(whole)
    except OverflowError:
        return None
    return double if number_text(double) == literal else None
