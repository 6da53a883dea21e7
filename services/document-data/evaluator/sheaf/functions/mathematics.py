"""Arithmetic, powers, whole numbers and sums."""

import functools
import math
import operator
import random
import uuid

from sheaf.functions.values import as_list, flatten, is_number, is_proper_number, proper_numbers


def ABS(value):
    """Return the magnitude of a number."""
    return abs(value)


def SIGN(value):
    """Return 1 for a positive number, -1 for a negative one, and 0 for zero."""
    return 0 if value == 0 else 1 if value > 0 else -1


def PI():
    """Return the number pi."""
    return math.pi


def MOD(dividend, divisor):
    """Return the remainder of a division, with the sign of the divisor."""
    return dividend % divisor


def QUOTIENT(dividend, divisor):
    """Return the whole part of a quotient."""
    return math.trunc(dividend / divisor)


def POWER(base, exponent):
    """Return a number raised to a power."""
    return math.pow(base, exponent)


def SQRT(value):
    """Return the square root of a number."""
    return math.sqrt(value)


def SQRTPI(value):
    """Return the square root of pi times the number."""
    return math.sqrt(math.pi * value)


def EXP(exponent):
    """Return e raised to a power."""
    return math.exp(exponent)


def LN(value):
    """Return the natural logarithm."""
    return math.log(value)


def LOG(value, base=10):
    """Return the logarithm to a base, which is 10 by default."""
    return math.log(value, base)


def LOG10(value):
    """Return the logarithm to base 10."""
    return math.log10(value)


def _require_limited(factors):
    # Products of more factors take long and fill the memory, and no cell holds them.
    if factors > 10_000:
        raise OverflowError("a product of more than 10000 factors is too large")


def FACT(value):
    """Return the factorial of the whole part of a number."""
    whole = int(value)
    _require_limited(whole)
    return math.factorial(whole)


def FACTDOUBLE(value):
    """Return the product of every second whole number from the value downwards."""
    _require_limited(operator.index(value))
    return math.prod(range(value, 1, -2))


def COMBIN(n, k):
    """Return the number of ways to choose k of n objects."""
    if n == k or k == 0:
        return 1
    if k > n:
        raise TypeError("no more objects can be chosen than there are")
    _require_limited(min(k, n - k))
    return math.comb(n, k)


def PERMUT(n, k):
    """Return the number of ordered choices of k of n objects."""
    _require_limited(k)
    return math.perm(int(n), int(k))


def MULTINOMIAL(value1, *more_values):
    """Return the factorial of the sum of the values divided by the product of their factorials."""
    total, ways = value1, 1
    for value in more_values:
        total += value
        ways *= COMBIN(total, value)
    return ways


def _whole_values(values):
    for value in values:
        if value < 0:
            raise ValueError("negative numbers have no common divisor or multiple here")
    return [int(value) for value in values]


def GCD(value1, *more_values):
    """Return the greatest common divisor of whole numbers."""
    return math.gcd(*_whole_values((value1, *more_values)))


def LCM(value1, *more_values):
    """Return the least common multiple of whole numbers."""
    return math.lcm(*_whole_values((value1, *more_values)))


def NUM(value):
    """Return an int for a float without fraction, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def SERIESSUM(x, n, m, a):
    """Return the sum of the coefficients a times x to the powers n, n + m, n + 2m and so on."""
    return sum(coefficient * x ** (n + m * position) for position, coefficient in enumerate(as_list(a)))


def RAND():
    """Return a random number from 0 up to but not including 1."""
    return random.random()


def RANDBETWEEN(low, high):
    """Return a random whole number between two numbers, both included."""
    return random.randint(math.ceil(low), math.floor(high))


def UUID():
    """Return a random identifier of 36 characters."""
    # The generator of the module random is used, because its seed is what the server controls.
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def SUM(value1, *more_values):
    """Return the sum of the numbers among the arguments and in their lists."""
    total = 0
    for value in flatten((value1, *more_values)):
        if is_number(value):
            total += value
    return total


def PRODUCT(factor1, *more_factors):
    """Return the product of the numbers among the arguments and in their lists."""
    numbers = (value for value in flatten((factor1, *more_factors)) if is_number(value))
    return functools.reduce(operator.mul, numbers, 1)


def SUMPRODUCT(array1, *more_arrays):
    """Return the sum of the products of the corresponding items of several lists."""
    return sum(math.prod(items) for items in zip(array1, *more_arrays))


def SUMSQ(value1, *more_values):
    """Return the sum of the squares of the numbers among the arguments."""
    return sum(value * value for value in proper_numbers((value1, *more_values)))


def _pairs_of_numbers(array_x, array_y):
    left, right = as_list(array_x), as_list(array_y)
    if len(left) != len(right):
        raise ValueError("the lists must have the same length")
    return [(x, y) for x, y in zip(left, right) if is_proper_number(x) and is_proper_number(y)]


def SUMX2MY2(array_x, array_y):
    """Return the sum of the differences of the squares of corresponding items."""
    return sum(x * x - y * y for x, y in _pairs_of_numbers(array_x, array_y))


def SUMX2PY2(array_x, array_y):
    """Return the sum of the squares of corresponding items."""
    return sum(x * x + y * y for x, y in _pairs_of_numbers(array_x, array_y))


def SUMXMY2(array_x, array_y):
    """Return the sum of the squares of the differences of corresponding items."""
    return sum((x - y) ** 2 for x, y in _pairs_of_numbers(array_x, array_y))
