"""Correlation and the straight line through points."""

import math

from sheaf.functions.values import as_list, is_proper_number


class _Points:
    """The sums over points (x, y) that all the functions here need."""

    def __init__(self, data_y, data_x):
        list_y, list_x = as_list(data_y), as_list(data_x)
        if len(list_y) != len(list_x):
            raise ValueError("the lists must have the same length")
        pairs = [(x, y) for x, y in zip(list_x, list_y) if is_proper_number(x) and is_proper_number(y)]
        self.count = len(pairs)
        self.mean_x = sum(x for x, _ in pairs) / self.count
        self.mean_y = sum(y for _, y in pairs) / self.count
        self.xx = sum((x - self.mean_x) ** 2 for x, _ in pairs)
        self.yy = sum((y - self.mean_y) ** 2 for _, y in pairs)
        self.xy = sum((x - self.mean_x) * (y - self.mean_y) for x, y in pairs)

    @property
    def slope(self):
        return self.xy / self.xx

    @property
    def intercept(self):
        return self.mean_y - self.slope * self.mean_x


def CORREL(data_y, data_x):
    """Return the coefficient of correlation of two lists."""
    points = _Points(data_y, data_x)
    return points.xy / math.sqrt(points.xx * points.yy)


def PEARSON(data_y, data_x):
    """Return the coefficient of correlation of two lists."""
    return CORREL(data_y, data_x)


def RSQ(data_y, data_x):
    """Return the square of the coefficient of correlation."""
    return CORREL(data_y, data_x) ** 2


def COVAR(data_y, data_x):
    """Return the covariance of two lists as of a population."""
    points = _Points(data_y, data_x)
    return points.xy / points.count


def SLOPE(data_y, data_x):
    """Return the slope of the line of regression."""
    return _Points(data_y, data_x).slope


def INTERCEPT(data_y, data_x):
    """Return the value of the line of regression at x = 0."""
    return _Points(data_y, data_x).intercept


def FORECAST(x, data_y, data_x):
    """Return the value of the line of regression at x."""
    points = _Points(data_y, data_x)
    return points.intercept + points.slope * x


def STEYX(data_y, data_x):
    """Return the standard error of the line of regression."""
    points = _Points(data_y, data_x)
    return math.sqrt((points.yy - points.xy**2 / points.xx) / (points.count - 2))
