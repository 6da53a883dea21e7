"""Ranks, percentiles and the most frequent values of a list of numbers."""

import collections
import math

from sheaf.functions.values import proper_numbers


def _sorted_numbers(data, name):
    numbers = sorted(proper_numbers((data,)))
    if not numbers:
        raise ValueError(f"{name} needs a number")
    return numbers


def LARGE(data, n):
    """Return the number that is the n-th from the greatest downwards."""
    numbers = _sorted_numbers(data, "LARGE")
    if not 1 <= n <= len(numbers):
        raise ValueError(f"the list has no number at place {n}")
    return numbers[-math.ceil(n)]


def SMALL(data, n):
    """Return the number that is the n-th from the least upwards."""
    numbers = _sorted_numbers(data, "SMALL")
    if not 1 <= n <= len(numbers):
        raise ValueError(f"the list has no number at place {n}")
    return numbers[int(n) - 1]


def _interpolated(numbers, position):
    below = math.floor(position)
    fraction = position - below
    value = numbers[below]
    return value + (numbers[below + 1] - value) * fraction if fraction else value


def PERCENTILE(data, percentile):
    """Return the value below which a share of the list, from 0 to 1, lies; both ends are included."""
    numbers = _sorted_numbers(data, "PERCENTILE")
    if not 0 <= percentile <= 1:
        raise ValueError("a percentile is between 0 and 1")
    return _interpolated(numbers, percentile * (len(numbers) - 1))


def PERCENTILE_INC(data, percentile):
    """Return the value below which a share of the list, from 0 to 1, lies; both ends are included."""
    return PERCENTILE(data, percentile)


def PERCENTILE_EXC(data, percentile):
    """Return the value below which a share of the list lies; 0 and 1 are excluded."""
    numbers = _sorted_numbers(data, "PERCENTILE_EXC")
    position = percentile * (len(numbers) + 1) - 1
    if not 0 <= position <= len(numbers) - 1:
        raise ValueError("the list is too short for this percentile")
    return _interpolated(numbers, position)


def QUARTILE(data, quartile_number):
    """Return a quartile by its number from 0, the least value, to 4, the greatest."""
    if int(quartile_number) not in range(5):
        raise ValueError("a quartile is 0, 1, 2, 3 or 4")
    return PERCENTILE(data, int(quartile_number) / 4)


def _truncated(share, significant_digits):
    # A double holds 15 digits.
    scale = 10 ** min(15, int(3 if significant_digits is None else significant_digits))
    # The product may fall a little below a whole number that it equals.
    return math.floor(share * scale + 1e-9) / scale


def _position_of(numbers, value, name):
    if not numbers[0] <= value <= numbers[-1]:
        raise ValueError(f"{name} needs a value within the list")
    below = sum(number < value for number in numbers)
    if numbers[below] == value:
        return below
    lower, upper = numbers[below - 1], numbers[below]
    return below - 1 + (value - lower) / (upper - lower)


def PERCENTRANK(data, value, significant_digits=None):
    """Return the share of the list that lies below a value, from 0 to 1 with both ends included."""
    numbers = _sorted_numbers(data, "PERCENTRANK")
    position = _position_of(numbers, value, "PERCENTRANK")
    return 1.0 if len(numbers) == 1 else _truncated(position / (len(numbers) - 1), significant_digits)


def PERCENTRANK_INC(data, value, significant_digits=None):
    """Return the share of the list that lies below a value, from 0 to 1 with both ends included."""
    return PERCENTRANK(data, value, significant_digits)


def PERCENTRANK_EXC(data, value, significant_digits=None):
    """Return the share of the list that lies below a value, with 0 and 1 excluded."""
    numbers = _sorted_numbers(data, "PERCENTRANK_EXC")
    position = _position_of(numbers, value, "PERCENTRANK_EXC")
    return _truncated((position + 1) / (len(numbers) + 1), significant_digits)


def RANK_EQ(value, data, is_ascending=None):
    """Return the place of a value in the list, by default from the greatest on; equals share the best place."""
    numbers = proper_numbers((data,))
    if value not in numbers:
        raise ValueError(f"{value!r} is not in the list")
    return 1 + sum(number < value if is_ascending else number > value for number in numbers)


def RANK_AVG(value, data, is_ascending=None):
    """Return the place of a value in the list as RANK_EQ does; equals get the mean of their places."""
    best = RANK_EQ(value, data, is_ascending)
    return best + (proper_numbers((data,)).count(value) - 1) / 2


def MODE(value1, *more_values):
    """Return the most frequent number, the first one among equally frequent ones."""
    counts = collections.Counter(proper_numbers((value1, *more_values)))
    number, count = next(iter(counts.most_common(1)), (None, 0))
    if count < 2:
        raise ValueError("no number occurs twice")
    return number


def TRIMMEAN(data, exclude_proportion):
    """Return the mean of the list without a share of its numbers, half of it at each end."""
    numbers = _sorted_numbers(data, "TRIMMEAN")
    if not 0 <= exclude_proportion < 1:
        raise ValueError("the share is from 0 up to but not including 1")
    dropped = int(len(numbers) * exclude_proportion / 2)
    kept = numbers[dropped : len(numbers) - dropped]
    return sum(kept) / len(kept)
