"""Dates that recur by a schedule."""

import datetime
import re

from sheaf.functions.date_functions import DTIME, NOW

_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")
_ALIASES = {"annual": "year", "monthly": "month", "weekly": "week", "daily": "day", "hourly": "hour"}
_INTERVAL = re.compile(rf"(\d+)-({'|'.join(_UNITS)})s?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_OFFSET_UNITS = {"y": "year", "m": "month", "w": "week", "d": "day", "h": "hour", "H": "hour", "M": "minute",
                 "s": "second", "S": "second"}  # fmt: skip
# Seven days of hours are enough for any slot, and larger numbers would leave the calendar.
_LARGEST_NUMBER = 10_000


class _Slot:
    """Where a time lies in its interval: months, then the time after them."""

    def __init__(self):
        self.months = 0
        self.time = datetime.timedelta()
        self.given = set()

    def put(self, part, months=0, **time):
        if part in self.given:
            raise ValueError(f"a slot of a schedule gives its {part} twice")
        self.given.add(part)
        self.months += months
        self.time += datetime.timedelta(**time)

    def add(self, unit, number):
        if unit in ("year", "month"):
            self.put(unit + " offset", months=number * (12 if unit == "year" else 1))
        else:
            self.put(unit + " offset", **{unit + "s": number})


def _number(digits):
    number = int(digits)
    if number > _LARGEST_NUMBER:
        raise ValueError(f"a number of a schedule is too large: {digits}")
    return number


def _add_date(slot, unit, month, day):
    if unit != "year" or not 1 <= month <= 12:
        raise ValueError("a month and a day are for schedules by year")
    slot.put("date", months=month - 1, days=day - 1)


def _add_time(slot, unit, match):
    if unit in ("minute", "second"):
        raise ValueError("a time of day is for schedules by hour or longer")
    hour, minute, half = _number(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"no hour of a half day: {hour}")
        hour = hour % 12 + (12 if half == "p" else 0)
    slot.put("time", hours=hour, minutes=minute)


def _add_weekday(slot, unit, word):
    if unit != "week":
        raise ValueError("a day of the week is for schedules by week")
    for number, name in enumerate(_WEEKDAYS):
        if len(word) >= 2 and name.startswith(word.lower()):
            return slot.put("weekday", days=number)
    raise ValueError(f"no day of the week: {word}")


def _add_part(slot, unit, part):
    """Add what one word of a slot says."""
    if match := re.fullmatch(r"([A-Za-z]{3,9})-(\d{1,2})", part):
        prefix = match[1][:3].lower()
        _add_date(slot, unit, _MONTHS.index(prefix) + 1 if prefix in _MONTHS else 0, int(match[2]))
    elif match := re.fullmatch(r"(\d{1,2})/(\d{1,2})", part):
        _add_date(slot, unit, int(match[1]), int(match[2]))
    elif match := re.fullmatch(r"/(\d{1,2})", part):
        if unit != "month":
            raise ValueError("a day of the month is for schedules by month")
        slot.put("date", days=int(match[1]) - 1)
    elif match := re.fullmatch(r":(\d\d)", part):
        if unit != "hour":
            raise ValueError("minutes are for schedules by hour")
        slot.put("time", minutes=int(match[1]))
    elif match := re.fullmatch(r"\+(\d+)([ymwdhHMsS])", part):
        slot.add(_OFFSET_UNITS[match[2]], _number(match[1]))
    elif match := re.fullmatch(r"(\d{1,2})(?::(\d\d)|(?=[ap]))(?:([ap])m)?", part, re.IGNORECASE):
        _add_time(slot, unit, match)
    elif part.isalpha():
        _add_weekday(slot, unit, part)
    else:
        raise ValueError(f"not understood in a schedule: {part!r}")


def _parse(schedule):
    """Return the number of units of the interval, the unit, and the slots."""
    interval, colon, slots_text = schedule.partition(":")
    interval = interval.strip().lower()
    match = _INTERVAL.fullmatch(interval)
    if match:
        count, unit = _number(match[1]), match[2]
    elif interval in _ALIASES:
        count, unit = 1, _ALIASES[interval]
    else:
        raise ValueError(f"no interval of a schedule: {interval!r}")
    if not colon or count < 1:
        raise ValueError("a schedule has the form INTERVAL: SLOTS")
    slots = []
    for text in slots_text.split(","):
        if not text.strip():
            raise ValueError("a slot of the schedule is empty")
        slot = _Slot()
        for part in re.sub(r"\s+([ap]m)\b", r"\1", text, flags=re.IGNORECASE).split():
            _add_part(slot, unit, part)
        slots.append(slot)
    return count, unit, slots


def _interval_start(moment, unit):
    """Return the beginning of the year, month, week or other unit around a moment."""
    zeros = {"year": 0, "month": 1, "week": 2, "day": 2, "hour": 3, "minute": 4, "second": 5}[unit]
    fields = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0}
    start = moment.replace(**dict(list(fields.items())[zeros:]))
    return start - datetime.timedelta(days=start.isoweekday() % 7) if unit == "week" else start


def _plus_months(moment, months):
    years, month = divmod(moment.month - 1 + months, 12)
    return moment.replace(year=moment.year + years, month=month + 1)


def _advance(moment, unit, count):
    if unit in ("year", "month"):
        return _plus_months(moment, count * (12 if unit == "year" else 1))
    return moment + datetime.timedelta(**{unit + "s": count})


def _times(start, unit, count, slots):
    """Yield the times from start on; the first interval may be any one, those after it are count units apart."""
    interval, step = _interval_start(start, unit), 1
    while True:
        times = sorted(_plus_months(interval, slot.months) + slot.time for slot in slots)
        times = [time for time in times if time >= start]
        if times:
            step = count
        yield from times
        interval = _advance(interval, unit, step)


def _limited(times, count, end):
    for _, time in zip(range(count), times):
        if end is not None and time > end:
            return
        yield time


def SCHEDULE(schedule, start=None, count=10, end=None):
    """Return the times of a schedule like "weekly: Mo 9am, Th 2pm" from a start on, one after the other."""
    interval_count, unit, slots = _parse(schedule)
    first = NOW() if start is None else DTIME(start)
    last = None if end is None else DTIME(end, first.tzinfo)
    return _limited(_times(first, unit, interval_count, slots), count, last)
