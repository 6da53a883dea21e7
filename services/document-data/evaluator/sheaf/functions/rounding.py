"""Rounding of numbers."""

import math

from sheaf.functions.values import is_number

# Numbers from here on have no fraction, so there is nothing to round.
_WITHOUT_FRACTION = 2.0**53
# A larger power of ten does not fit a double.
_LARGEST_SCALE = 300


def _require_number(value):
    # A list times a number would be a longer list, and a text in place of a number has no rounding.
    if not is_number(value):
        raise TypeError(f"a number is needed, not {type(value).__name__}")
    return value


def _rounded(value, places, whole_part):
    """Scale by a power of ten, make a whole number of the magnitude, and scale back."""
    magnitude = abs(_require_number(value))
    if places > 0:
        scale = 10 ** min(places, _LARGEST_SCALE)
        scaled = magnitude * scale
        if isinstance(value, int) or scaled >= _WITHOUT_FRACTION:
            return value
        result = whole_part(scaled) / scale
    else:
        scale = 10 ** min(-places, _LARGEST_SCALE)
        result = whole_part(magnitude / scale if places else magnitude) * scale
    return -result if value < 0 else result


def _half_up(magnitude):
    whole = math.floor(magnitude)
    return whole + 1 if magnitude - whole >= 0.5 else whole


def ROUND(value, places=0):
    """Return the number rounded to the given decimal places, halves away from zero."""
    return float(_rounded(value, places, _half_up))


def ROUNDUP(value, places=0):
    """Return the number rounded away from zero to the given decimal places."""
    return _rounded(value, places, math.ceil)


def ROUNDDOWN(value, places=0):
    """Return the number rounded towards zero to the given decimal places."""
    return _rounded(value, places, math.floor)


def TRUNC(value, places=0):
    """Return the number without the digits beyond the given decimal places."""
    return _rounded(value, places, math.floor)


def INT(value):
    """Return the largest whole number that is not greater than the value."""
    return math.floor(_require_number(value))


def CEILING(value, factor=1):
    """Return the next multiple of the factor, upwards for a positive factor."""
    return _require_number(factor) * math.ceil(_require_number(value) / factor)


def _require_same_sign(value, factor):
    if _require_number(value) * _require_number(factor) < 0:
        raise ValueError("the value and the factor must have the same sign")


def FLOOR(value, factor=1):
    """Return the last multiple of the factor that does not lie beyond the value."""
    _require_same_sign(value, factor)
    return factor * math.floor(value / factor)


def MROUND(value, factor):
    """Return the multiple of the factor that is nearest to the value, the outer one for a tie."""
    _require_same_sign(value, factor)
    return factor * _half_up(value / factor)


def EVEN(value):
    """Return the next even whole number away from zero."""
    magnitude = 2 * math.ceil(abs(_require_number(value)) / 2)
    return -magnitude if value < 0 else magnitude


def ODD(value):
    """Return the next odd whole number away from zero."""
    magnitude = 2 * math.ceil((abs(_require_number(value)) - 1) / 2) + 1
    return -magnitude if value < 0 else magnitude
