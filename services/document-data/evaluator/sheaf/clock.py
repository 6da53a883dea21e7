"""The time zone of the document, and whether a formula asked what time it is."""

import datetime
import functools
import zoneinfo

timezone = datetime.timezone.utc
"""The zone of the document; the server sets it from the schema."""

volatile_used = False
"""Set when a formula reads the current time; the server clears it before each cell."""


@functools.lru_cache(maxsize=256)
def _named_zone(name):
    return zoneinfo.ZoneInfo(name)


def zone(value=None):
    """Return the tzinfo for a name, for a tzinfo, or for None, which means the zone of the document."""
    if value is None:
        return timezone
    if isinstance(value, datetime.tzinfo):
        return value
    return _named_zone(value)


def now(value=None):
    """Return the current time in a zone and note that the formula depends on it."""
    global volatile_used
    volatile_used = True
    return datetime.datetime.now(zone(value))
