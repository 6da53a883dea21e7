"""Stored forms of cells, as SQLite holds them, and the values that formulas read."""

import datetime
import functools
import json
import zoneinfo

from sheaf.alt_text import AltText
from sheaf.failures import Failure

TAG = "\u0001"
"""First character of a stored text that is JSON of a coded value."""

_EPOCH_DATE = datetime.date(1970, 1, 1)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Coded:
    """A coded value of a column of type Any. It is decoded at each read, so that no formula changes a cell in place."""

    __slots__ = ("code",)

    def __init__(self, code):
        self.code = code


@functools.lru_cache(maxsize=256)
def zone_of(name):
    """Return the time zone of a name, UTC if there is none of that name."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return datetime.timezone.utc


def date_of(seconds):
    """Return the date of seconds since the epoch."""
    return _EPOCH_DATE + datetime.timedelta(days=seconds // 86400)


def moment_of(seconds, zone):
    """Return the aware time of seconds since the epoch."""
    return (_EPOCH + datetime.timedelta(seconds=seconds)).astimezone(zone)


def base_type(type_name):
    """Return the name of a type without its table or zone."""
    return type_name.split(":", 1)[0]


def _failure(text):
    """Return the failure that a tagged text holds, or None."""
    if text[:1] == TAG:
        code = json.loads(text[1:])
        if isinstance(code, list) and code and code[0] == "E":
            before = code[3] if len(code) > 3 and isinstance(code[3], (str, int, float)) else None
            return Failure(str(code[1]) if len(code) > 1 else "Error", str(code[2]) if len(code) > 2 else "", before)
    return None


def _misfit(text, type_name):
    if text[:1] == TAG:
        found = _failure(text)
        if found is not None:
            return found
        code = json.loads(text[1:])
        text = code if isinstance(code, str) else text[1:]
    return AltText(text, type_name)


def _text(stored):
    if stored.__class__ is str:
        if stored[:1] == TAG:
            return _failure(stored) or stored
        return stored
    return stored if stored is None else AltText(str(stored), "Text")


def _numeric(stored):
    kind = stored.__class__
    if kind is float or stored is None:
        return stored
    if kind is int:
        return float(stored)
    return _misfit(str(stored), "Numeric")


def _int(stored):
    if stored.__class__ is str:
        return _misfit(stored, "Int")
    if stored.__class__ is float and stored.is_integer():
        return int(stored)
    return stored


def _bool(stored):
    if stored is None:
        return False
    if stored.__class__ is str:
        return _misfit(stored, "Bool")
    return bool(stored) if stored in (0, 1) else AltText(str(stored), "Bool")


def _date(stored):
    if stored is None:
        return None
    if stored.__class__ is str:
        return _misfit(stored, "Date")
    try:
        return date_of(stored)
    except (OverflowError, ValueError):
        return AltText(str(stored), "Date")


def _moment(zone, stored):
    if stored is None:
        return None
    if stored.__class__ is str:
        return _misfit(stored, "DateTime")
    try:
        return moment_of(stored, zone)
    except (OverflowError, ValueError):
        return AltText(str(stored), "DateTime")


def _sequence(type_name, element, stored):
    if stored is None:
        return ()
    if stored.__class__ is str:
        if stored[:1] == "[":
            try:
                items = json.loads(stored)
            except ValueError:
                items = None
            if isinstance(items, list):
                return tuple(item for item in items if item.__class__ is element)
        return _misfit(stored, type_name)
    return AltText(str(stored), type_name)


def _reference(stored):
    if stored is None:
        return 0
    if stored.__class__ is int:
        return stored
    return _misfit(str(stored), "Ref")


def _any(stored):
    if stored.__class__ is str and stored[:1] == TAG:
        code = json.loads(stored[1:])
        if isinstance(code, list) and code:
            return _failure(stored) if code[0] == "E" else Coded(code)
        return Coded(code) if isinstance(code, (list, dict)) else code
    return stored


_PLAIN = {
    "Text": _text, "Choice": _text, "Numeric": _numeric, "ManualSortPos": _numeric, "PositionNumber": _numeric, "Int": _int, "Id": _int,
    "Bool": _bool, "Date": _date, "Ref": _reference, "Any": _any,
    "ChoiceList": functools.partial(_sequence, "ChoiceList", str),
    "RefList": functools.partial(_sequence, "RefList", int), "Attachments": functools.partial(_sequence, "RefList", int),
}
_DEFAULTS = {"Text": "", "Choice": "", "Numeric": 0.0, "ManualSortPos": float("inf"), "PositionNumber": float("inf"), "Int": 0, "Bool": False, "ChoiceList": (),
             "Ref": 0, "RefList": (), "Attachments": ()}


def decoder(type_name, document_zone):
    """Return the function from stored forms to values for a type. References stay row ids, a Failure stands for an error."""
    base, _, detail = type_name.partition(":")
    if base == "DateTime":
        return functools.partial(_moment, zone_of(detail) if detail else document_zone)
    return _PLAIN.get(base, _any)


_SAME = {
    "Text": {str, type(None)}, "Choice": {str, type(None)}, "Int": {int, type(None)}, "Id": {int, type(None)}, "Ref": {int},
    "Numeric": {float, type(None)}, "ManualSortPos": {float, type(None)}, "PositionNumber": {float, type(None)}, "Any": {int, float, type(None)},
}
"""Classes of stored forms that are their own values, by type; a text only if it has no tag."""


def decode_plain(base, stored):
    """Return the values of many stored forms if none of them is an error or needs a closer look, else None."""
    kinds = set(map(type, stored))
    if base in ("Numeric", "ManualSortPos", "PositionNumber") and kinds <= {int, float}:
        return list(map(float, stored))
    if not kinds <= _SAME.get(base, set()) or str in kinds and TAG in "".join(filter(None, stored)):
        return None
    return stored


def default_of(type_name):
    """Return the value of a cell in a row that does not exist."""
    return _DEFAULTS.get(base_type(type_name))
