"""The regularized incomplete beta function, from which the distributions t and F follow."""

import math

_TINY = 1e-300
_PRECISION = 1e-15
_MOST_STEPS = 10_000


def _away_from_zero(value):
    return value if abs(value) > _TINY else _TINY


def _continued_fraction(a, b, x):
    """Evaluate the continued fraction of the incomplete beta function by the method of Lentz."""
    c, d = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1.0))
    result = d
    for step in range(1, _MOST_STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            d = 1.0 / _away_from_zero(1.0 + term * d)
            c = _away_from_zero(1.0 + term / c)
            result *= c * d
        if abs(c * d - 1.0) < _PRECISION:
            break
    return result


def regularized_beta(x, a, b):
    """Return the share of the beta function of a and b that lies below x, from 0 to 1."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    log_factor = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    factor = math.exp(log_factor)
    # The fraction converges fast below the mean of the distribution, and the function is symmetric around it.
    if x < (a + 1) / (a + b + 2):
        return factor * _continued_fraction(a, b, x) / a
    return 1.0 - factor * _continued_fraction(b, a, 1.0 - x) / b


def t_tail(x, degrees):
    """Return the probability that a value of the distribution t lies above x."""
    half = regularized_beta(degrees / (degrees + x * x), degrees / 2, 0.5) / 2
    return half if x >= 0 else 1.0 - half


def t_at_tail(probability, degrees):
    """Return the value that a value of the distribution t exceeds with the given probability."""
    if probability == 0.5:
        return 0.0
    if probability > 0.5:
        return -t_at_tail(1.0 - probability, degrees)
    low, high = 0.0, 1.0
    while t_tail(high, degrees) > probability:
        low, high = high, high * 2
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if t_tail(middle, degrees) > probability:
            low = middle
        else:
            high = middle
