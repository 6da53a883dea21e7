"""Averages, extremes, counts and deviations of values and lists of values."""

import datetime
import math

from sheaf import clock
from sheaf.functions.values import counted_numbers, flatten, is_date, is_proper_number, proper_numbers


def AVERAGE(value, *more_values):
    """Return the mean of the numbers among the arguments."""
    numbers = proper_numbers((value, *more_values))
    return sum(numbers) / float(len(numbers))


def AVERAGEA(value, *more_values):
    """Return the mean of the arguments, where text counts as 0 and True as 1."""
    numbers = counted_numbers((value, *more_values))
    return sum(numbers) / float(len(numbers))


def AVERAGE_WEIGHTED(pairs):
    """Return the mean of values weighted by the second item of each pair."""
    total = weights = 0.0
    for value, weight in pairs:
        if is_proper_number(value) and is_proper_number(weight):
            total += value * weight
            weights += weight
    return total / weights


def COUNT(value, *more_values):
    """Return how many of the arguments are numbers or dates."""
    return sum(1 for item in flatten((value, *more_values)) if is_proper_number(item) or is_date(item))


def COUNTA(value, *more_values):
    """Return how many of the arguments and items of lists are not None."""
    return sum(1 for item in flatten((value, *more_values)) if item is not None)


def COUNTBLANK(value, *more_values):
    """Return how many of the arguments are blank."""
    return sum(1 for item in flatten((value, *more_values)) if item is None or item == "")


def COUNTUNIQUE(value, *more_values):
    """Return how many different values there are among the arguments."""
    hashable, others = set(), []
    for item in flatten((value, *more_values)):
        try:
            hashable.add(item)
        except TypeError:
            if item not in others:
                others.append(item)
    return len(hashable) + len(others)


def moment(value):
    """Return an aware datetime for a date or datetime, so that both kinds can be compared."""
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime.combine(value, datetime.time())
    return value if value.tzinfo else value.replace(tzinfo=clock.timezone)


def _extreme(values, choose):
    candidates = [value for value in flatten(values) if is_proper_number(value) or is_date(value)]
    if not candidates:
        return 0
    if all(map(is_date, candidates)):
        return choose(candidates, key=moment)
    return choose(candidates)


def MAX(value, *more_values):
    """Return the greatest number or the latest date among the arguments, or 0."""
    return _extreme((value, *more_values), max)


def MIN(value, *more_values):
    """Return the least number or the earliest date among the arguments, or 0."""
    return _extreme((value, *more_values), min)


def MAXA(value, *more_values):
    """Return the greatest of the arguments, where text counts as 0 and True as 1."""
    # The sign makes a number of a truth value.
    return +max(counted_numbers((value, *more_values)), default=0)


def MINA(value, *more_values):
    """Return the least of the arguments, where text counts as 0 and True as 1."""
    return +min(counted_numbers((value, *more_values)), default=0)


def MEDIAN(value, *more_values):
    """Return the middle one of the numbers among the arguments."""
    numbers = sorted(proper_numbers((value, *more_values)))
    if not numbers:
        raise ValueError("MEDIAN needs a number")
    middle = len(numbers) // 2
    return numbers[middle] if len(numbers) % 2 else (numbers[middle - 1] + numbers[middle]) / 2


def squared_deviations(numbers):
    """Return the sum of the squared differences from the mean."""
    mean = sum(numbers) / float(len(numbers))
    return sum((number - mean) ** 2 for number in numbers)


def variance(numbers, lost_degrees):
    """Return the variance; lost_degrees is 1 for a sample and 0 for a population."""
    return squared_deviations(numbers) / float(len(numbers) - lost_degrees)


def VAR(value, *more_values):
    """Return the variance of a sample, of the numbers among the arguments."""
    return variance(proper_numbers((value, *more_values)), 1)


def VARA(value, *more_values):
    """Return the variance of a sample, where text counts as 0 and True as 1."""
    return variance(counted_numbers((value, *more_values)), 1)


def VARP(value, *more_values):
    """Return the variance of a population, of the numbers among the arguments."""
    return variance(proper_numbers((value, *more_values)), 0)


def VARPA(value, *more_values):
    """Return the variance of a population, where text counts as 0 and True as 1."""
    return variance(counted_numbers((value, *more_values)), 0)


def STDEV(value, *more_values):
    """Return the standard deviation of a sample, of the numbers among the arguments."""
    return math.sqrt(VAR(value, *more_values))


def STDEVA(value, *more_values):
    """Return the standard deviation of a sample, where text counts as 0 and True as 1."""
    return math.sqrt(VARA(value, *more_values))


def STDEVP(value, *more_values):
    """Return the standard deviation of a population, of the numbers among the arguments."""
    return math.sqrt(VARP(value, *more_values))


def STDEVPA(value, *more_values):
    """Return the standard deviation of a population, where text counts as 0 and True as 1."""
    return math.sqrt(VARPA(value, *more_values))
