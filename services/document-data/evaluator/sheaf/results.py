"""Results of formulas as stored forms, by the type of the column."""

import datetime
import json
import math

from sheaf.alt_text import AltText
from sheaf.failures import ResultTooLarge
from sheaf.stored import TAG, base_type, zone_of

LARGEST_CELL = 1 << 20
_INT_LIMIT = 1 << 31
_UTC = datetime.timezone.utc
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=_UTC)
_EPOCH_DATE = datetime.date(1970, 1, 1)
_DATE_FORMATS = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%m-%d-%Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y%m%d")


# `json.dumps` with arguments makes an encoder for each call, which takes longer than encoding a small message.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def dumps(value):
    """Return compact JSON."""
    return _ENCODER.encode(value)


def failure_form(failure):
    """Return the stored form of an error."""
    before = [] if failure.before is None else [failure.before]
    return TAG + dumps(["E", clean(failure.name), clean(failure.message), *before])


def clean(text):
    """Return text that UTF-8 can hold: lone surrogates become question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def kind_of(value):
    """Return "record", "records" or None."""
    return getattr(type(value), "sheaf_kind", None)


def seconds_of_date(value):
    """Return a date's midnight UTC as seconds since the epoch."""
    return (value - _EPOCH_DATE).days * 86400


def seconds_of_moment(value, zone):
    """Return a time as seconds since the epoch; a naive one is in the given zone."""
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    return _number((value - _EPOCH).total_seconds())


def _number(value):
    """Return a finite number as it is stored: integral ones as integers."""
    if value.__class__ is float and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def _kept_text(text):
    # A text that began with the tag would read as a coded value.
    return clean(text).lstrip(TAG)


def _kept_in_list_column(text):
    text = clean(text)
    # A text that began so would read as a list or as a coded value.
    return TAG + dumps(text) if text[:1] in ("[", TAG) else text


def _text(value):
    if value.__class__ is str or value is None:
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer() and not math.isinf(value) and abs(value) < 1e16:
        return str(int(value))
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return clean(str(value))


def _stored_text(value):
    text = _text(value)
    return None if text is None else _kept_text(text)


def _parsed_float(value):
    if isinstance(value, str):
        value = value.strip()
        if "_" in value:
            raise ValueError("an underscore is no part of a number in a cell")
        return float(value) if value else None
    return float(value)


def _numeric(value):
    kind = value.__class__
    if kind is float:
        if value.is_integer() and -1e15 < value < 1e15:
            return int(value)
        return value if math.isfinite(value) else None
    if kind is int:
        return value if -1e15 < value < 1e15 else _finite(float(value))
    if value is None:
        return None
    if isinstance(value, (str, int, float, bytes)):
        try:
            parsed = _parsed_float(value)
        except (ValueError, OverflowError):
            return _kept_text(value)
        return None if parsed is None else _finite(parsed)
    return _kept_text(str(value))


def _finite(value):
    return _number(value) if math.isfinite(value) else None


def _int(value):
    if value.__class__ is float and not math.isfinite(value):
        return str(value)
    number = value if value.__class__ is int else _numeric(value)
    if number.__class__ is str or number is None:
        return number
    whole = int(number)
    return whole if -_INT_LIMIT <= whole < _INT_LIMIT else _kept_text(str(value))


def _bool(value):
    if value.__class__ is bool:
        return int(value)
    if value is None:
        return 0
    if isinstance(value, (int, float)):
        return int(bool(value))
    if isinstance(value, (str, AltText)):
        word = str(value).strip().lower()
        if word in ("true", "yes", "1", "t", "y"):
            return 1
        if word in ("false", "no", "0", "f", "n"):
            return 0
        return _kept_text(str(value)) if str(value) else 0
    return _kept_text(str(value))


def parse_moment(text, zone):
    """Return the seconds since the epoch of a date or time in text; ValueError if it is neither."""
    text = text.strip()
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        for form in _DATE_FORMATS:
            try:
                moment = datetime.datetime.strptime(text, form)
                break
            except ValueError:
                continue
        else:
            raise
    return seconds_of_moment(moment, zone)


def _date(value):
    if value is None or value == "":
        return None
    if isinstance(value, datetime.datetime):
        return seconds_of_date(value.date())
    if isinstance(value, datetime.date):
        return seconds_of_date(value)
    if isinstance(value, (int, float)):
        return _finite(float(value))
    if isinstance(value, str):
        try:
            return parse_moment(value, _UTC) // 86400 * 86400
        except (ValueError, OverflowError):
            return _kept_text(value)
    return _kept_text(str(value))


def _moment_encoder(zone):
    def encode(value):
        if value is None or value == "":
            return None
        if isinstance(value, datetime.datetime):
            return seconds_of_moment(value, zone)
        if isinstance(value, datetime.date):
            return seconds_of_moment(datetime.datetime(value.year, value.month, value.day), zone)
        if isinstance(value, (int, float)):
            return _finite(float(value))
        if isinstance(value, str):
            try:
                return parse_moment(value, zone)
            except (ValueError, OverflowError):
                return _kept_text(value)
        return _kept_text(str(value))
    return encode


def _choices(value):
    if isinstance(value, (str, AltText)):
        text = str(value)
        if text[:1] == "[":
            try:
                items = json.loads(text)
            except ValueError:
                items = None
            if isinstance(items, list):
                value = items
        if isinstance(value, (str, AltText)):
            return _kept_in_list_column(text) if text else None
    if not value:
        return None
    try:
        items = [clean(str(item)) for item in value]
    except TypeError:
        return _kept_in_list_column(str(value))
    return dumps(items) if items else None


def _reference_encoder():
    def encode(value):
        if value.__class__ is int:
            return value if -_INT_LIMIT <= value < _INT_LIMIT else _kept_text(str(value))
        if value is None or value == "":
            return 0
        if kind_of(value) == "record":
            return value._row
        if kind_of(value) == "records":
            return _kept_text(str(value)) if len(value) else 0
        if isinstance(value, list):
            return encode(value[0]) if value else 0
        if isinstance(value, bool) or value.__class__ is float and value == 0:
            return int(value)
        return _kept_text(str(value))
    return encode


def _reference_list_encoder(target_id):
    def encode(value):
        if kind_of(value) == "records" and value._table.table_id == target_id:
            return dumps(value._rows) if len(value) else "[]"
        if kind_of(value) == "record" and value._table.table_id == target_id:
            return dumps([value._row]) if value else None
        if value is None or value == "" or value == 0 or kind_of(value) == "record" and not value:
            return None
        if isinstance(value, int):
            return dumps([int(value)])
        if isinstance(value, (list, tuple, set, frozenset)):
            rows = [item._row if kind_of(item) == "record" else item for item in value]
            if all(row.__class__ is int and row >= 0 for row in rows):
                return dumps(rows) if rows else None
        return _kept_in_list_column(str(value))
    return encode


def api_code(value):
    """Return the JSON of a value in a column of type Any."""
    if value is None or isinstance(value, (bool, str)):
        return clean(value) if isinstance(value, str) else value
    if isinstance(value, int):
        return int(value) if -_INT_LIMIT <= value < _INT_LIMIT else ["U", repr(int(value))]
    if isinstance(value, float):
        return _finite(float(value))
    if isinstance(value, datetime.datetime):
        zone = _zone_name(value)
        return ["U", clean(repr(value))] if zone is None else ["D", seconds_of_moment(value, _UTC), zone]
    if isinstance(value, datetime.date):
        return ["d", seconds_of_date(value)]
    if kind_of(value) == "record":
        return ["R", value._table.table_id, value._row]
    if kind_of(value) == "records":
        return ["r", value._table.table_id, value._rows]
    if isinstance(value, (list, tuple)):
        return ["L", *(api_code(item) for item in value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return ["O", {clean(key): api_code(item) for key, item in value.items()}]
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, AltText):
        return clean(str(value))
    return ["U", clean(repr(value))]


def _zone_name(moment):
    """Return the name of the zone of a time; None for an offset without a name."""
    zone = moment.tzinfo
    return "UTC" if zone is None or zone is _UTC else getattr(zone, "key", None) or moment.tzname()


def _any(value):
    kind = value.__class__
    if kind is str:
        return TAG + dumps(clean(value)) if value[:1] == TAG else clean(value)
    if kind is int:
        if -_INT_LIMIT <= value < _INT_LIMIT:
            return value
    elif kind is float:
        if value.is_integer() and -1e15 < value < 1e15:
            return int(value)
        return value if math.isfinite(value) else None
    elif value is None:
        return None
    code = api_code(value)
    if code is None or (isinstance(code, (int, float)) and not isinstance(code, bool)):
        return code
    if isinstance(code, str) and code[:1] != TAG:
        return code
    return TAG + dumps(code)


_BY_TYPE = {
    "Text": _stored_text, "Choice": _stored_text, "Numeric": _numeric, "ManualSortPos": _numeric, "PositionNumber": _numeric,
    "Int": _int, "Id": _int, "Bool": _bool, "Date": _date, "ChoiceList": _choices, "Any": _any,
}


def encoder(type_name, document_zone):
    """Return the function from results to stored forms for a type; it may raise what the value's own methods raise."""
    base, _, detail = type_name.partition(":")
    if base == "DateTime":
        return _moment_encoder(zone_of(detail) if detail else document_zone)
    if base == "Ref":
        return _reference_encoder()
    if base in ("RefList", "Attachments"):
        return _reference_list_encoder(detail or "_grist_Attachments")
    return _BY_TYPE.get(base_type(type_name), _any)


def check_size(stored):
    """Raise ResultTooLarge for a stored text above the largest cell."""
    if len(stored) > LARGEST_CELL or len(stored) * 4 > LARGEST_CELL and len(stored.encode()) > LARGEST_CELL:
        raise ResultTooLarge(f"the result has more than {LARGEST_CELL} bytes")
    return stored
