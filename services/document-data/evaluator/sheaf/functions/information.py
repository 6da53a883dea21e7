"""What kind of value an argument is."""

import datetime
import math
import re

from sheaf.functions.date_functions import DATE_TO_XL
from sheaf.functions.logic import evaluate, is_invalid
from sheaf.functions.values import is_date, is_list, is_number, is_text, kind_of_record

_EMAIL = re.compile(r"[A-Za-z0-9_%'+-]+(\.[A-Za-z0-9_%'+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")
_URL = re.compile(
    r"((ftp|https?|gopher|mailto|news|telnet|aim)://)?"
    r"([^\s/?#@:]+@)?"
    r"([a-z0-9\u00a1-\uffff]([a-z0-9\u00a1-\uffff-]*[a-z0-9\u00a1-\uffff])?\.)+[a-z\u00a1-\uffff]{2,}\.?"
    r"(:\d{1,5})?([/?#]\S*)?",
    re.IGNORECASE,
)
_ERROR_TYPES = (
    (ZeroDivisionError, 2), (LookupError, 4), (NameError, 5), (AttributeError, 5), (OverflowError, 6),
    (ArithmeticError, 6), (TypeError, 3), (ValueError, 3),
)  # fmt: skip


def ISBLANK(value):
    """Return whether a value is blank: no value, empty text, an empty list or no record."""
    if kind_of_record(value) or is_list(value):
        return not value
    return value is None or value == ""


def ISDATE(value):
    """Return whether a value is a date or a datetime."""
    return is_date(value)


def ISEMAIL(value):
    """Return whether a text looks like an email address."""
    return _EMAIL.fullmatch(value) is not None


def ISURL(value):
    """Return whether a text looks like the address of a web page or of another resource."""
    return _URL.fullmatch(value) is not None


def ISERR(value):
    """Return whether the evaluation of the argument raises an error."""
    try:
        evaluate(value)
    except Exception:
        return True
    return False


def ISERROR(value):
    """Return whether the argument is an error, NaN, or text that does not fit the type of its column."""
    try:
        return is_invalid(evaluate(value))
    except Exception:
        return True


def ISNA(value):
    """Return whether a value is NaN, which stands for a value that is not available."""
    return isinstance(value, float) and math.isnan(value)


def NA():
    """Return NaN, which stands for a value that is not available."""
    return math.nan


def ISLOGICAL(value):
    """Return whether a value is True or False."""
    return isinstance(value, bool)


def ISNUMBER(value):
    """Return whether a value is a number; booleans are."""
    return is_number(value)


def ISEVEN(value):
    """Return whether the whole part of a number is even."""
    return math.trunc(value) % 2 == 0


def ISODD(value):
    """Return whether the whole part of a number is odd."""
    return math.trunc(value) % 2 == 1


def ISTEXT(value):
    """Return whether a value is text."""
    return is_text(value)


def ISNONTEXT(value):
    """Return whether a value is something else than text."""
    return not is_text(value)


def ISREF(value):
    """Return whether a value is a record."""
    return kind_of_record(value) == "record"


def ISREFLIST(value):
    """Return whether a value is a set of records."""
    return kind_of_record(value) == "records"


def N(value):
    """Return a number as it is, a date as the number of its day, and 0 for anything else."""
    if is_number(value):
        return value
    return DATE_TO_XL(value) if is_date(value) else 0


def T(value):
    """Return text as it is, and empty text for anything else."""
    return str(value) if is_text(value) else ""


def TYPE(value):
    """Return 1 for a number, date or blank, 2 for text, 4 for a boolean, 16 for an error, 64 for a list, 128 otherwise."""
    try:
        value = evaluate(value)
    except Exception:
        return 16
    if isinstance(value, bool):
        return 4
    if ISNA(value):
        return 16
    if value is None or is_number(value) or isinstance(value, (datetime.date, datetime.time)):
        return 1
    if is_text(value):
        return 2
    return 64 if is_list(value) and kind_of_record(value) is None else 128


def ERROR_TYPE(value):
    """Return the number that spreadsheets give to the error of the argument, or NaN without an error."""
    try:
        result = evaluate(value)
    except Exception as error:
        return next((number for kind, number in _ERROR_TYPES if isinstance(error, kind)), 8)
    return 7 if ISNA(result) else 3 if is_invalid(result) else math.nan
