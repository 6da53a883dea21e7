"""Numbers as text and text as numbers."""

import datetime
import re

from sheaf.alt_text import AltText
from sheaf.functions.date_text import ParserError, parse_date
from sheaf.functions.rounding import ROUND
from sheaf.functions.values import is_number

_ROMAN_PARTS = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_ROMAN = re.compile("M{0,4}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
_MOST_DECIMALS = 127
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


class OutOfRangeError(ValueError):
    """Raised for a number that Roman numerals cannot write."""


class InvalidRomanNumeralError(ValueError):
    """Raised for text that is no Roman numeral."""


def ROMAN(number, form_unused=None):
    """Return a number from 0 to 4999 as a Roman numeral."""
    rest = int(number)
    if not 0 <= rest < 5000:
        raise OutOfRangeError("only numbers from 0 to 4999 have a Roman numeral")
    numeral = ""
    for value, letters in _ROMAN_PARTS:
        numeral += letters * (rest // value)
        rest %= value
    return numeral or "N"


def ARABIC(roman_numeral):
    """Return the number that a Roman numeral stands for."""
    numeral = roman_numeral.strip().upper()
    if numeral == "N":
        return 0
    if not numeral or not _ROMAN.fullmatch(numeral):
        raise InvalidRomanNumeralError(f"{roman_numeral!r} is no Roman numeral")
    total = position = 0
    for value, letters in _ROMAN_PARTS:
        while numeral.startswith(letters, position):
            total += value
            position += len(letters)
    return total


def _grouped(number, decimals, commas):
    if decimals > _MOST_DECIMALS:
        raise ValueError(f"at most {_MOST_DECIMALS} decimals can be written")
    rounded = ROUND(number, decimals)
    separator = "," if commas else ""
    return f"{rounded:{separator}.{max(decimals, 0)}f}"


def FIXED(number, decimals=2, no_commas=False):
    """Return a number as text with a fixed number of decimals and with commas between thousands."""
    return _grouped(number, decimals, not no_commas)


def DOLLAR(number, decimals=2):
    """Return an amount in dollars as text, in parentheses if it is negative."""
    amount = "$" + _grouped(abs(number), decimals, True)
    return f"({amount})" if number < 0 else amount


def VALUE(text):
    """Return the number, or else the datetime, that a text stands for; other values are returned as they are."""
    if is_number(text) or isinstance(text, datetime.date):
        return text
    stripped = str(text).strip() if isinstance(text, AltText) else text.strip()
    if not stripped:
        return 0
    plain = stripped.replace("$", "").replace(",", "")
    if _NUMBER.fullmatch(plain):
        return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)
    try:
        return parse_date(stripped)
    except ParserError:
        raise ValueError("the text is neither a number nor a date") from None


def NUMBERVALUE(text, decimal_separator=".", group_separator=","):
    """Return the number that a text with the given separators stands for."""
    plain = text.replace(group_separator, "").replace(decimal_separator, ".").replace(" ", "")
    percents = len(plain) - len(plain.rstrip("%"))
    return float(plain.rstrip("%") or 0) / 100**percents
