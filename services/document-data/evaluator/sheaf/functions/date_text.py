"""Reading dates and times from text in the usual notations."""

import calendar
import datetime
import re

from sheaf import clock

_MONTHS = ("january", "february", "march", "april", "may", "june",
           "july", "august", "september", "october", "november", "december")  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FILLERS = {"at", "of", "on", "and", "the", "st", "nd", "rd", "th", "t"}
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[-/.,:+]|\S")
_ISO = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
_ZONE = re.compile(r"(?<=[\d\sT])(Z|UTC|GMT)$|(?<=[:.\d]\d)\s*([-+])(\d\d):?(\d\d)?$", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\d.:])(\d{1,2})(?::(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([ap])\.?m?\.?(?![a-z])"
    r"|:(\d\d)(?::(\d\d)(?:[.,](\d+))?)?|\s*([ap])\.?m\.?(?![a-z]))",
    re.IGNORECASE,
)
_LONGEST_DATE = 100


class ParserError(ValueError):
    """Raised for text that is no date."""


class tzoffset(datetime.tzinfo):
    """A fixed difference from UTC, which has no name in the data base of zones."""

    def __init__(self, name, seconds):
        self._name = name
        self._offset = datetime.timedelta(seconds=seconds)

    def utcoffset(self, moment):
        return self._offset

    def dst(self, moment):
        return datetime.timedelta(0)

    def tzname(self, moment):
        return self._name

    def __repr__(self):
        return f"tzoffset({self._name!r}, {int(self._offset.total_seconds())})"

    def __reduce__(self):
        return tzoffset, (self._name, int(self._offset.total_seconds()))


def _take_zone(text):
    """Return the text without a zone at its end, and the zone or None."""
    match = _ZONE.search(text)
    # A date such as 10-12-2024 ends like an offset, so an offset needs a time before it.
    if not match or (match[2] and ":" not in text[: match.start()]):
        return text, None
    rest = text[: match.start()].rstrip()
    if match[1]:
        return rest, clock.zone("UTC")
    seconds = int(match[3]) * 3600 + int(match[4] or 0) * 60
    if not seconds:
        return rest, clock.zone("UTC")
    return rest, tzoffset(None, -seconds if match[2] == "-" else seconds)


def _take_time(text):
    """Return the text without the time of day in it, and the time as a tuple or None."""
    match = _TIME.search(text)
    if not match:
        return text, None
    hour = int(match[1])
    minute, second = int(match[2] or match[6] or 0), int(match[3] or match[7] or 0)
    micros = int(((match[4] or match[8] or "") + "000000")[:6])
    half = (match[5] or match[9] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ParserError(f"no hour of a half day: {hour}")
        hour = hour % 12 + (12 if half == "p" else 0)
    return text[: match.start()] + " " + text[match.end() :], (hour, minute, second, micros)


def _named(word, names):
    """Return the position of the name that a word abbreviates by three letters or more, or None."""
    if word == "sept":
        return 8
    for position, name in enumerate(names):
        if len(word) >= 3 and name.startswith(word):
            return position
    return None


def _year(digits):
    """Return the year that digits mean; two digits mean the one within fifty years of the present year."""
    year = int(digits)
    if len(digits) > 2:
        return year
    present = datetime.date.today().year
    candidate = present // 100 * 100 + year
    if candidate >= present + 50:
        return candidate - 100
    return candidate + 100 if candidate < present - 50 else candidate


def _date_numbers(text):
    """Return the numbers of a date as written, and the month if it is named."""
    numbers, month = [], None
    for token in _TOKEN.findall(text.lower()):
        if token.isdigit():
            numbers.append(token)
        elif token.isalpha():
            named = _named(token, _MONTHS)
            if named is not None and month is None:
                month = named + 1
            elif token not in _FILLERS and _named(token, _WEEKDAYS) is None:
                raise ParserError(f"no date: {text!r}")
        elif token not in "-/.,":
            raise ParserError(f"no date: {text!r}")
    return numbers, month


def _is_year(digits):
    return len(digits) > 2 or int(digits) > 31


def _clipped_date(year, month, day):
    """Return a date of a day that was not given and that the month may lack."""
    return datetime.date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _date_with_named_month(numbers, month, today):
    if not numbers:
        return _clipped_date(today.year, month, today.day)
    if len(numbers) == 1:
        if _is_year(numbers[0]):
            return _clipped_date(_year(numbers[0]), month, today.day)
        return datetime.date(today.year, month, int(numbers[0]))
    first, second = numbers
    day, year = (second, first) if _is_year(first) else (first, second)
    return datetime.date(_year(year), month, int(day))


def _date_of_two(first, second, today):
    if _is_year(first):
        return _clipped_date(_year(first), int(second), today.day)
    if _is_year(second):
        return _clipped_date(_year(second), int(first), today.day)
    month, day = _month_and_day(int(first), int(second))
    return datetime.date(today.year, month, day)


def _month_and_day(first, second):
    """Return the month and the day of two numbers; the month comes first where both orders are possible."""
    return (second, first) if first > 12 else (first, second)


def _date_of_three(first, second, third):
    year, rest = (first, (second, third)) if _is_year(first) else (third, (first, second))
    month, day = _month_and_day(*map(int, rest))
    return datetime.date(_year(year), month, day)


def _parse_day(text, today):
    numbers, month = _date_numbers(text)
    if month is not None and len(numbers) <= 2:
        return _date_with_named_month(numbers, month, today)
    if month is None and len(numbers) == 3:
        return _date_of_three(*numbers)
    if month is None and len(numbers) == 2:
        return _date_of_two(*numbers, today)
    if month is None and len(numbers) == 1:
        # A number alone is a day of the present month, or a year.
        number = int(numbers[0])
        return today.replace(day=number) if number <= 31 else _clipped_date(number, today.month, today.day)
    raise ParserError(f"no date: {text!r}")


def _split_time(text):
    """Return the part of a text that gives the day, and the time of day or None."""
    match = _ISO.match(text)
    if not match:
        day_text, time = _take_time(text)
        return day_text.strip(" ,"), time
    rest, time = _take_time(text[match.end() :].replace("T", " ", 1))
    if rest.strip(" ,"):
        raise ParserError(f"no date: {text!r}")
    return "-".join(match.groups()), time


def parse_date(text):
    """Return the datetime that a text means, naive unless the text names a zone; parts left out are today's."""
    source = text.strip()
    if not source or len(source) > _LONGEST_DATE:
        raise ParserError("no date")
    try:
        without_zone, tzinfo = _take_zone(source)
        day_text, time = _split_time(without_zone)
        today = datetime.datetime.now(clock.timezone).date()
        day = today if time and not day_text else _parse_day(day_text, today)
        return datetime.datetime.combine(day, datetime.time(*(time or (0, 0))), tzinfo)
    except ParserError:
        raise
    except ValueError as error:
        raise ParserError(f"{error}: {text!r}") from None
