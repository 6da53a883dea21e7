"""Reading dates and times from text in the usual notations."""

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


def _full_year(year, digits):
    if len(digits) > 2:
        return year
    # Two digits mean the year within fifty years of the present one.
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


def _year_month_day(numbers, month, today):
    """Return the year, its digits, the month and the day; the month comes first where both orders are possible."""
    if month is not None:
        if not numbers:
            return today.year, "    ", month, today.day
        if len(numbers) == 1:
            is_year = len(numbers[0]) > 2 or int(numbers[0]) > 31
            return (int(numbers[0]), numbers[0], month, today.day) if is_year else (today.year, "    ", month, int(numbers[0]))
        first, second = numbers[:2]
        day, year = (second, first) if len(first) > 2 or int(first) > 31 else (first, second)
        return int(year), year, month, int(day)
    if len(numbers) == 2:
        first, second = map(int, numbers)
        if len(numbers[0]) > 2:
            return first, numbers[0], second, today.day
        if len(numbers[1]) > 2 or second > 31:
            return second, numbers[1], first, today.day
        return (today.year, "    ", second, first) if first > 12 else (today.year, "    ", first, second)
    first, second, third = map(int, numbers)
    if len(numbers[0]) > 2 or first > 31:
        return (first, numbers[0], third, second) if second > 12 else (first, numbers[0], second, third)
    return (third, numbers[2], second, first) if first > 12 else (third, numbers[2], first, second)


def _parse_day(text, today):
    match = _ISO.match(text)
    if match:
        return datetime.date(int(match[1]), int(match[2]), int(match[3])), text[match.end() :]
    numbers, month = _date_numbers(text)
    if month is None and len(numbers) == 1:
        # A number alone is a day of the present month, or a year.
        value = int(numbers[0])
        return (today.replace(day=value) if value <= 31 else today.replace(year=value)), ""
    if not 2 - (month is not None) * 2 <= len(numbers) <= 3 - (month is not None):
        raise ParserError(f"no date: {text!r}")
    year, digits, month, day = _year_month_day(numbers, month, today)
    return datetime.date(_full_year(year, digits), month, day), ""


def parse_date(text):
    """Return the datetime that a text stands for, naive unless the text names a zone; parts left out are today's."""
    source = text.strip()
    if not source or len(source) > 100:
        raise ParserError("no date")
    rest, tzinfo = _take_zone(source)
    iso = _ISO.match(rest)
    day_part, time_part = (rest[: iso.end()], rest[iso.end() :]) if iso else (rest, rest)
    try:
        remaining, time = _take_time(time_part.replace("T", " ", 1) if iso else time_part)
        if iso and remaining.strip(" ,"):
            raise ParserError(f"no date: {text!r}")
        day_text = day_part if iso else remaining
        today = datetime.datetime.now(clock.timezone).date()
        if time and not day_text.strip(" ,"):
            day = today
        else:
            day, left_over = _parse_day(day_text.strip(), today)
            if left_over.strip():
                raise ParserError(f"no date: {text!r}")
        hour, minute, second, micros = time or (0, 0, 0, 0)
        return datetime.datetime(day.year, day.month, day.day, hour, minute, second, micros, tzinfo)
    except ParserError:
        raise
    except ValueError as error:
        raise ParserError(f"{error}: {text!r}") from None
