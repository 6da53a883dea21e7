"""Conditions, and values that may be errors.

Arguments that are evaluated only when needed arrive as functions without arguments; plain values are accepted too.
"""

import math

from sheaf.alt_text import AltText


def evaluate(value):
    """Return the value of an argument that may be a function without arguments."""
    return value() if callable(value) else value


def is_invalid(value):
    """Return whether a value stands for an error: NaN, or text that does not fit the type of its column."""
    return isinstance(value, AltText) or (isinstance(value, float) and math.isnan(value))


def TRUE():
    """Return True."""
    return True


def FALSE():
    """Return False."""
    return False


def AND(logical_expression, *logical_expressions):
    """Return whether all arguments are true."""
    return all((logical_expression, *logical_expressions))


def OR(logical_expression, *logical_expressions):
    """Return whether any argument is true."""
    return any((logical_expression, *logical_expressions))


def XOR(logical_expression, *logical_expressions):
    """Return whether an odd number of the arguments is true."""
    return sum(map(bool, (logical_expression, *logical_expressions))) % 2 == 1


def NOT(logical_expression):
    """Return whether the argument is false."""
    return not logical_expression


def IF(logical_expression, value_if_true, value_if_false):
    """Return the second argument if the first one is true, else the third."""
    return evaluate(value_if_true) if logical_expression else evaluate(value_if_false)


def IFERROR(value, value_if_error=""):
    """Return the first argument, or the second one when the first is an error."""
    try:
        result = evaluate(value)
    except Exception:
        return evaluate(value_if_error)
    return evaluate(value_if_error) if is_invalid(result) else result
