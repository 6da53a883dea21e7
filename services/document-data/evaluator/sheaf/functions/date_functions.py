"""Dates and times: making, shifting and taking apart."""

import datetime

from sheaf import clock
from sheaf.functions.date_text import parse_date

_XL_EPOCH = datetime.datetime(1899, 12, 30)
_DAY = datetime.timedelta(days=1)
_LUNAR_MONTH = 29.530588853
_NEW_MOON = datetime.date(1900, 1, 1)
_MOONS = "🌑🌒🌓🌔🌕🌖🌗🌘"


def as_date(value):
    """Return a date, datetime or time as it is, and text as the datetime that it stands for."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value
    if isinstance(value, str):
        return parse_date(value)
    raise ValueError(f"a date is needed, not {type(value).__name__}")


def as_day(value):
    """Return the date of a date, a datetime or text."""
    value = as_date(value)
    if isinstance(value, datetime.time):
        raise ValueError("a date is needed, not a time of day")
    return value.date() if isinstance(value, datetime.datetime) else value


def as_datetime(value):
    """Return a datetime for a date, a datetime, a time of today, or text."""
    value = as_date(value)
    if isinstance(value, datetime.datetime):
        return value
    if isinstance(value, datetime.time):
        return datetime.datetime.combine(clock.now().date(), value)
    return datetime.datetime.combine(value, datetime.time())


def shifted_date(year, month, day):
    """Return a date; months beyond the year and days beyond the month count on into what follows."""
    years, month_index = divmod(month - 1, 12)
    return datetime.date(year + years, month_index + 1, 1) + _DAY * (day - 1)


def DATE(year, month, day):
    """Return a date; months and days may go beyond their range, and years below 1900 get 1900 added."""
    return shifted_date(year + 1900 if year < 1900 else year, month, day)


def DATEADD(start_date, days=0, months=0, years=0, weeks=0):
    """Return the date that is some days, months, years and weeks after another one."""
    start = shifted_date(start_date.year + years, start_date.month + months, start_date.day)
    return start + _DAY * (days + 7 * weeks)


def EDATE(start_date, months):
    """Return the date some months later; a day that the month lacks counts on into the next month."""
    return shifted_date(start_date.year, start_date.month + months, start_date.day)


def EOMONTH(start_date, months):
    """Return the last day of the month that is some months later."""
    return shifted_date(start_date.year, start_date.month + months + 1, 1) - _DAY


def DATEVALUE(date_string, tz=None):
    """Return the datetime that a text stands for, in a time zone."""
    return DTIME(parse_date(date_string), tz)


def DTIME(value, tz=None):
    """Return a datetime for a date, a time or text, in a time zone unless the value has one."""
    moment = as_datetime(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=clock.zone(tz))


def NOW(tz=None):
    """Return the present time in a time zone."""
    return clock.now(tz)


def TODAY(tz=None):
    """Return the present date in a time zone."""
    return clock.now(tz).date()


def YEAR(date):
    """Return the year of a date."""
    return as_date(date).year


def MONTH(date):
    """Return the month of a date, from 1 to 12."""
    return as_date(date).month


def DAY(date):
    """Return the day of the month of a date."""
    return as_date(date).day


def HOUR(time):
    """Return the hour of a time."""
    return getattr(as_date(time), "hour", 0)


def MINUTE(time):
    """Return the minute of a time."""
    return getattr(as_date(time), "minute", 0)


def SECOND(time):
    """Return the second of a time."""
    return getattr(as_date(time), "second", 0)


def TIME(hour, minute, second):
    """Return a time of day; minutes and seconds may go beyond their range."""
    seconds = (int(hour) * 3600 + int(minute) * 60 + int(second)) % 86400
    return datetime.time(seconds // 3600, seconds // 60 % 60, seconds % 60)


def TIMEVALUE(time_string):
    """Return the fraction of the day that has passed at a time."""
    time = as_date(time_string)
    return (HOUR(time) * 3600 + MINUTE(time) * 60 + SECOND(time)) / 86400


def _first_weekday(return_type, types):
    """Return the weekday on which weeks begin, Monday being 0."""
    if return_type not in types:
        raise ValueError(f"no return type of week days: {return_type}")
    return types[return_type]


_WEEK_STARTS = {1: 6, 2: 0, 11: 0, 12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6}


def WEEKDAY(date, return_type=1):
    """Return the number of the day in the week, by default from 1 for Sunday to 7."""
    first = _first_weekday(return_type, {**_WEEK_STARTS, 3: 0})
    return (as_day(date).weekday() - first) % 7 + (return_type != 3)


def WEEKNUM(date, return_type=1):
    """Return the number of the week in the year, by default with weeks from Sunday."""
    if return_type == 21:
        return ISOWEEKNUM(date)
    first = _first_weekday(return_type, _WEEK_STARTS)
    day = as_day(date)
    new_year = day.replace(month=1, day=1)
    return ((day - new_year).days + (new_year.weekday() - first) % 7) // 7 + 1


def ISOWEEKNUM(date):
    """Return the number of the week in the year by ISO 8601."""
    return as_day(date).isocalendar()[1]


def XL_TO_DATE(value, tz=None):
    """Return the datetime for a number of days since 30 December 1899."""
    return DTIME(_XL_EPOCH + _DAY * value, tz)


def DATE_TO_XL(date_value):
    """Return the number of days since 30 December 1899."""
    moment = as_datetime(date_value)
    if moment.tzinfo:
        moment = moment.astimezone(clock.timezone).replace(tzinfo=None)
    return (moment - _XL_EPOCH) / _DAY


def MOONPHASE(date, output="emoji"):
    """Return the phase of the moon as an emoji, or its age in days or as a fraction of the month."""
    fraction = (as_day(date) - _NEW_MOON).days / _LUNAR_MONTH % 1
    if output == "days":
        return fraction * _LUNAR_MONTH
    if output == "fraction":
        return fraction
    return _MOONS[round(fraction * 8) % 8]
