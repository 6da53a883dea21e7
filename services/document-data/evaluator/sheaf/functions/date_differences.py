"""Time between two dates, in days, months, fractions of a year and working days."""

import calendar
import datetime

from sheaf.functions.date_functions import as_day, shifted_date
from sheaf.functions.values import as_list, is_text

_DAY = datetime.timedelta(days=1)


def DAYS(end_date, start_date):
    """Return the number of days from the start to the end."""
    return (as_day(end_date) - as_day(start_date)).days


def _whole_months(start, end):
    return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)


def _days_of_month_apart(start, end):
    month = end.month - (end.day < start.day)
    return (end - shifted_date(end.year, month, start.day)).days


def _days_of_year_apart(start, end):
    moved = shifted_date(end.year, start.month, start.day)
    if moved > end:
        moved = shifted_date(end.year - 1, start.month, start.day)
    return (end - moved).days


_DIFFERENCES = {
    "D": lambda start, end: (end - start).days,
    "M": _whole_months,
    "Y": lambda start, end: _whole_months(start, end) // 12,
    "MD": _days_of_month_apart,
    "YM": lambda start, end: _whole_months(start, end) % 12,
    "YD": _days_of_year_apart,
}


def DATEDIF(start_date, end_date, unit):
    """Return the whole days, months or years between two dates, or the rest of days or months, by the unit."""
    start, end = as_day(start_date), as_day(end_date)
    if unit not in _DIFFERENCES:
        raise ValueError(f"no unit of time: {unit!r}")
    return _DIFFERENCES[unit](start, end)


def _is_end_of_february(date):
    return date.month == 2 and date.day == calendar.monthrange(date.year, 2)[1]


def _days_of_360(start, end, start_day, end_day):
    return (end.year - start.year) * 360 + (end.month - start.month) * 30 + end_day - start_day


def _years_us_30_360(start, end):
    start_day, end_day = start.day, end.day
    if _is_end_of_february(start):
        if _is_end_of_february(end):
            end_day = 30
        start_day = 30
    if end_day == 31 and start_day >= 30:
        end_day = 30
    return _days_of_360(start, end, min(start_day, 30), end_day) / 360


def _years_european_30_360(start, end):
    return _days_of_360(start, end, min(start.day, 30), min(end.day, 30)) / 360


def _years_actual(start, end):
    days = (end - start).days
    if end.year - start.year > 1 or (end.year > start.year and (end.month, end.day) > (start.month, start.day)):
        years = end.year - start.year + 1
        span = (datetime.date(end.year + 1, 1, 1) - datetime.date(start.year, 1, 1)).days
        return days / (span / years)
    if start.year == end.year:
        return days / (366 if calendar.isleap(start.year) else 365)
    leap_days = [datetime.date(year, 2, 29) for year in (start.year, end.year) if calendar.isleap(year)]
    return days / (366 if any(start <= leap_day <= end for leap_day in leap_days) else 365)


def _years_by_each_year(start, end):
    def position(date):
        length = 366 if calendar.isleap(date.year) else 365
        return date.year + (date.timetuple().tm_yday - 1) / length

    return position(end) - position(start)


_YEARS = {
    0: _years_us_30_360,
    1: _years_actual,
    2: lambda start, end: (end - start).days / 360,
    3: lambda start, end: (end - start).days / 365,
    4: _years_european_30_360,
    -1: _years_by_each_year,
}


def YEARFRAC(start_date, end_date, basis=0):
    """Return the time between two dates in years, counted by one of the usual conventions."""
    if start_date is None or end_date is None:
        raise TypeError("a date is needed")
    if basis not in _YEARS:
        raise ValueError(f"no convention of counting days: {basis}")
    start, end = sorted((as_day(start_date), as_day(end_date)))
    return _YEARS[basis](start, end)


def DAYS360(start_date, end_date, method=False):
    """Return the days between two dates in a year of twelve months of 30 days."""
    start, end = as_day(start_date), as_day(end_date)
    if start > end:
        return -DAYS360(end, start, method)
    return round((_years_european_30_360 if method else _years_us_30_360)(start, end) * 360)


def _weekend_days(weekend):
    """Return the days of the weekend, Monday being 0, for the number or the text that spreadsheets use."""
    if is_text(weekend):
        digits = str(weekend)
        if len(digits) != 7 or set(digits) - {"0", "1"}:
            raise ValueError("a weekend is a number, or seven digits of 0 and 1")
        return {day for day, digit in enumerate(digits) if digit == "1"}
    if 1 <= weekend <= 7:
        return {(weekend + 4) % 7, (weekend + 5) % 7}
    if 11 <= weekend <= 17:
        return {(weekend - 12) % 7}
    raise ValueError(f"no number of a weekend: {weekend}")


def _holidays(holidays):
    return {as_day(day) for day in as_list(() if holidays is None else holidays)}


def _count_workdays(start, end, free_days, holidays):
    """Return the number of days from start to end that are neither in the weekend nor holidays."""
    weeks, rest = divmod((end - start).days + 1, 7)
    count = weeks * (7 - len(free_days))
    count += sum((start.weekday() + offset) % 7 not in free_days for offset in range(rest))
    return count - sum(start <= day <= end and day.weekday() not in free_days for day in holidays)


def NETWORKDAYS(start_date, end_date, holidays=None):
    """Return the number of working days from Monday to Friday between two dates, both included."""
    return NETWORKDAYS_INTL(start_date, end_date, 1, holidays)


def NETWORKDAYS_INTL(start_date, end_date, weekend=1, holidays=None):
    """Return the number of working days between two dates for a given weekend, both included."""
    start, end = as_day(start_date), as_day(end_date)
    free_days, free = _weekend_days(weekend), _holidays(holidays)
    if start > end:
        return -_count_workdays(end, start, free_days, free)
    return _count_workdays(start, end, free_days, free)


def WORKDAY(start_date, num_days, holidays=None):
    """Return the date that is a number of working days after another one, or before it."""
    return WORKDAY_INTL(start_date, num_days, 1, holidays)


def WORKDAY_INTL(start_date, num_days, weekend=1, holidays=None):
    """Return the date that is a number of working days away, for a given weekend."""
    day, left = as_day(start_date), abs(int(num_days))
    free_days, free = _weekend_days(weekend), _holidays(holidays)
    if len(free_days) == 7:
        raise ValueError("a week needs a working day")
    if left > 4_000_000:
        raise OverflowError("the date lies outside of the calendar")
    step = _DAY if num_days >= 0 else -_DAY
    while left:
        day += step
        left -= day.weekday() not in free_days and day not in free
    return day
