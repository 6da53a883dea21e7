"""Angles and hyperbolic functions; angles are in radians."""

import math


def SIN(angle):
    """Return the sine of an angle."""
    return math.sin(angle)


def COS(angle):
    """Return the cosine of an angle."""
    return math.cos(angle)


def TAN(angle):
    """Return the tangent of an angle."""
    return math.tan(angle)


def ASIN(value):
    """Return the angle whose sine is the value."""
    return math.asin(value)


def ACOS(value):
    """Return the angle whose cosine is the value."""
    return math.acos(value)


def ATAN(value):
    """Return the angle whose tangent is the value."""
    return math.atan(value)


def ATAN2(x, y):
    """Return the angle between the x axis and the line from the origin to the point (x, y)."""
    return math.atan2(y, x)


def SINH(value):
    """Return the hyperbolic sine."""
    return math.sinh(value)


def COSH(value):
    """Return the hyperbolic cosine."""
    return math.cosh(value)


def TANH(value):
    """Return the hyperbolic tangent."""
    return math.tanh(value)


def ASINH(value):
    """Return the inverse of the hyperbolic sine."""
    return math.asinh(value)


def ACOSH(value):
    """Return the inverse of the hyperbolic cosine."""
    return math.acosh(value)


def ATANH(value):
    """Return the inverse of the hyperbolic tangent."""
    return math.atanh(value)


def DEGREES(angle):
    """Return an angle in degrees."""
    return math.degrees(angle)


def RADIANS(angle):
    """Return an angle given in degrees in radians."""
    return math.radians(angle)
