"""Sums, counts and averages of the items of lists that satisfy criteria."""

import operator
import re

from sheaf.functions import aggregation
from sheaf.functions.mathematics import PRODUCT, SUM
from sheaf.functions.number_text import VALUE
from sheaf.functions.values import as_list, is_date, is_number, is_proper_number, is_text
from sheaf.functions.wildcards import text_matcher

_COMPARISON = re.compile(r"(<>|<=|>=|<|>|=)?(.*)", re.DOTALL)
_OPERATORS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


def _operand(text):
    """Return the number, boolean or date that the text of a criterion stands for, or the text itself."""
    if text.upper() in ("TRUE", "FALSE"):
        return text.upper() == "TRUE"
    try:
        value = VALUE(text) if text else text
    except ValueError:
        return text
    return value if is_proper_number(value) or is_date(value) else text


def _equality_test(operand):
    if operand == "":
        return lambda value: value is None or value == ""
    if is_text(operand):
        return text_matcher(str(operand))
    if is_date(operand):
        return lambda value: is_date(value) and aggregation.moment(value) == aggregation.moment(operand)
    return lambda value: value == operand and isinstance(value, bool) == isinstance(operand, bool)


def _order_test(comparison, operand):
    if is_text(operand):
        return lambda value: is_text(value) and comparison(str(value).lower(), str(operand).lower())
    if is_date(operand):
        return lambda value: is_date(value) and comparison(aggregation.moment(value), aggregation.moment(operand))
    return lambda value: is_number(value) and comparison(value, operand)


def _test_of(criterion):
    """Return a test for a criterion: a function, a value, or text such as ">5", "<>x" or "a*"."""
    if callable(criterion):
        return criterion
    if not is_text(criterion):
        return _equality_test(criterion)
    sign, text = _COMPARISON.fullmatch(str(criterion)).groups()
    operand = _operand(text)
    if sign in _OPERATORS:
        return _order_test(_OPERATORS[sign], operand)
    is_equal = _equality_test(operand)
    return (lambda value: not is_equal(value)) if sign == "<>" else is_equal


def _chosen(values, criteria):
    """Return the values at whose places all criteria, given as lists and criteria in turn, are satisfied."""
    if not criteria or len(criteria) % 2:
        raise TypeError("each list of criteria needs a criterion")
    kept = list(range(len(values)))
    for items, criterion in zip(criteria[::2], criteria[1::2]):
        column, test = as_list(items), _test_of(criterion)
        if len(column) != len(values):
            raise ValueError("the lists must have the same length")
        kept = [position for position in kept if test(column[position])]
    return [values[position] for position in kept]


def COUNTIF(range, criterion):
    """Return how many items of a list satisfy a criterion such as 5, ">5" or "a*"."""
    return COUNTIFS(range, criterion)


def COUNTIFS(criteria_range1, criterion1, *args):
    """Return at how many places of several lists all criteria are satisfied."""
    first = as_list(criteria_range1)
    return len(_chosen(first, (first, criterion1, *args)))


def _chosen_by_one(values, criterion, results):
    values = as_list(values)
    return _chosen(values if results is None else as_list(results), (values, criterion))


def SUMIF(records, criterion, sum_range=None):
    """Return the sum of the items of a list that satisfy a criterion, or of those of another list at their places."""
    return SUM(_chosen_by_one(records, criterion, sum_range))


def SUMIFS(sum_range, criteria_range1, criterion1, *args):
    """Return the sum of the items of a list at the places where all criteria are satisfied."""
    return SUM(_chosen(as_list(sum_range), (criteria_range1, criterion1, *args)))


def AVERAGEIF(criteria_range, criterion, average_range=None):
    """Return the mean of the items of a list that satisfy a criterion, or of those of another list at their places."""
    return aggregation.AVERAGE(_chosen_by_one(criteria_range, criterion, average_range))


def AVERAGEIFS(average_range, criteria_range1, criterion1, *args):
    """Return the mean of the items of a list at the places where all criteria are satisfied."""
    return aggregation.AVERAGE(_chosen(as_list(average_range), (criteria_range1, criterion1, *args)))


def MAXIFS(max_range, criteria_range1, criterion1, *args):
    """Return the greatest item of a list at the places where all criteria are satisfied."""
    return aggregation.MAX(_chosen(as_list(max_range), (criteria_range1, criterion1, *args)))


def MINIFS(min_range, criteria_range1, criterion1, *args):
    """Return the least item of a list at the places where all criteria are satisfied."""
    return aggregation.MIN(_chosen(as_list(min_range), (criteria_range1, criterion1, *args)))


_SUBTOTALS = (
    aggregation.AVERAGE, aggregation.COUNT, aggregation.COUNTA, aggregation.MAX, aggregation.MIN, PRODUCT,
    aggregation.STDEV, aggregation.STDEVP, SUM, aggregation.VAR, aggregation.VARP,
)  # fmt: skip


def SUBTOTAL(function_code, range1, *more_ranges):
    """Return an aggregate by its number, such as 1 for the average, 2 for the count, 4 for the maximum and 9 for the sum."""
    code = int(function_code) % 100
    if function_code >= 200 or not 1 <= code <= len(_SUBTOTALS):
        raise ValueError(f"no number of an aggregate: {function_code}")
    return _SUBTOTALS[code - 1](range1, *more_ranges)
