"""Means other than the arithmetic one, and the shape of a distribution of numbers."""

import math

from sheaf.functions.aggregation import squared_deviations, variance
from sheaf.functions.values import proper_numbers


def _positive_numbers(values):
    numbers = proper_numbers(values)
    if not numbers or min(numbers) <= 0:
        raise ValueError("all numbers must be positive")
    return numbers


def GEOMEAN(value1, *more_values):
    """Return the geometric mean of positive numbers."""
    numbers = _positive_numbers((value1, *more_values))
    return math.exp(math.fsum(math.log(number) for number in numbers) / len(numbers))


def HARMEAN(value1, *more_values):
    """Return the harmonic mean of positive numbers."""
    numbers = _positive_numbers((value1, *more_values))
    return len(numbers) / math.fsum(1 / number for number in numbers)


def DEVSQ(value1, *more_values):
    """Return the sum of the squared differences from the mean."""
    return squared_deviations(proper_numbers((value1, *more_values)))


def AVEDEV(value1, *more_values):
    """Return the mean of the absolute differences from the mean."""
    numbers = proper_numbers((value1, *more_values))
    mean = sum(numbers) / len(numbers)
    return sum(abs(number - mean) for number in numbers) / len(numbers)


def _standardized_power_sum(numbers, power):
    mean, deviation = sum(numbers) / len(numbers), math.sqrt(variance(numbers, 1))
    return sum(((number - mean) / deviation) ** power for number in numbers)


def SKEW(value1, *more_values):
    """Return the skewness of a sample."""
    numbers = proper_numbers((value1, *more_values))
    count = len(numbers)
    return count / ((count - 1) * (count - 2)) * _standardized_power_sum(numbers, 3)


def KURT(value1, *more_values):
    """Return the excess kurtosis of a sample."""
    numbers = proper_numbers((value1, *more_values))
    count = len(numbers)
    factor = count * (count + 1) / ((count - 1) * (count - 2) * (count - 3))
    return factor * _standardized_power_sum(numbers, 4) - 3 * (count - 1) ** 2 / ((count - 2) * (count - 3))


def STANDARDIZE(value, mean, standard_deviation):
    """Return how many standard deviations a value lies above the mean."""
    if standard_deviation <= 0:
        raise ValueError("the standard deviation must be positive")
    return (value - mean) / standard_deviation


def FISHER(value):
    """Return the Fisher transformation of a number between -1 and 1."""
    return math.atanh(value)


def FISHERINV(value):
    """Return the inverse of the Fisher transformation."""
    return math.tanh(value)
