"""Tests of hypotheses about means."""

import math
import statistics

from sheaf.functions.aggregation import variance
from sheaf.functions.beta_integral import t_tail
from sheaf.functions.values import as_list, is_proper_number, proper_numbers


def ZTEST(data, value, standard_deviation=None):
    """Return the probability that the mean of a sample is greater than the one observed, if the true mean is the value."""
    numbers = proper_numbers((data,))
    mean = sum(numbers) / len(numbers)
    deviation = math.sqrt(variance(numbers, 1)) if standard_deviation is None else standard_deviation
    return 1 - statistics.NormalDist().cdf((mean - value) / (deviation / math.sqrt(len(numbers))))


def _paired(range1, range2):
    first, second = as_list(range1), as_list(range2)
    if len(first) != len(second):
        raise ValueError("paired samples must have the same length")
    differences = [a - b for a, b in zip(first, second) if is_proper_number(a) and is_proper_number(b)]
    count = len(differences)
    return sum(differences) / count / math.sqrt(variance(differences, 1) / count), count - 1


def _unpaired(range1, range2, equal_variances):
    first, second = proper_numbers((range1,)), proper_numbers((range2,))
    count1, count2 = len(first), len(second)
    variance1, variance2 = variance(first, 1), variance(second, 1)
    difference = sum(first) / count1 - sum(second) / count2
    if equal_variances:
        degrees = count1 + count2 - 2
        pooled = ((count1 - 1) * variance1 + (count2 - 1) * variance2) / degrees
        return difference / math.sqrt(pooled * (1 / count1 + 1 / count2)), degrees
    share1, share2 = variance1 / count1, variance2 / count2
    degrees = (share1 + share2) ** 2 / (share1**2 / (count1 - 1) + share2**2 / (count2 - 1))
    return difference / math.sqrt(share1 + share2), degrees


def TTEST(range1, range2, tails, type):
    """Return the probability of a t-test: type 1 is paired, 2 assumes equal variances, 3 does not."""
    if tails not in (1, 2) or type not in (1, 2, 3):
        raise ValueError("a t-test has 1 or 2 tails and type 1, 2 or 3")
    statistic, degrees = _paired(range1, range2) if type == 1 else _unpaired(range1, range2, type == 2)
    return t_tail(abs(statistic), degrees) * tails
