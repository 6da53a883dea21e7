"""Which arguments count as numbers, and how lists among the arguments are taken apart."""

import collections.abc
import datetime
import numbers

from sheaf.alt_text import AltText

_PLAIN = (int, float)


def is_number(value):
    """Return whether a value is a number; booleans are, as in Python."""
    return type(value) in _PLAIN or isinstance(value, numbers.Number)


def is_proper_number(value):
    """Return whether a value is a number and not a boolean."""
    return type(value) in _PLAIN or (isinstance(value, numbers.Number) and not isinstance(value, bool))


def is_date(value):
    """Return whether a value is a date or a datetime."""
    return isinstance(value, datetime.date)


def is_text(value):
    """Return whether a value is text, in a column of type Text or misfit elsewhere."""
    return isinstance(value, (str, AltText))


def is_list(value):
    """Return whether an argument stands for several values."""
    return isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes))


def kind_of_record(value):
    """Return "record", "records" or None."""
    # The class is asked, because an attribute of the value itself would be a column.
    return getattr(type(value), "sheaf_kind", None)


def flatten(values):
    """Yield the arguments, and in place of each list its items; lists inside of lists stay whole."""
    for value in values:
        if is_list(value):
            yield from value
        else:
            yield value


def proper_numbers(values):
    """Return the numbers among the arguments; text, booleans, dates and blanks are left out."""
    return [value for value in flatten(values) if is_proper_number(value)]


def counted_numbers(values):
    """Return one number for each argument: booleans count as 1 or 0, anything else that is not a number as 0."""
    return [value if is_number(value) else 0 for value in flatten(values)]


def as_list(value):
    """Return the items of a list, or a list of the value alone."""
    return list(value) if is_list(value) else [value]
