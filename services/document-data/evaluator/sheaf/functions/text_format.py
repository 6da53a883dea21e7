"""Numbers and dates as text by the format codes of spreadsheets."""

import datetime
import decimal
import math
import re

from sheaf.functions.date_functions import XL_TO_DATE, as_datetime
from sheaf.functions.values import is_number, is_text

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<half>AM/PM|A/P)|(?P<exponent>E[+-]0+)|(?P<digits>[0#?]+(?:[0#?,]*[0#?])?(?:\.[0#?]*)?,*|\.[0#?]+)"
    r"|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LONGEST_FORMAT = 255


def _tokens(code):
    """Return pairs of a kind and a text; quoted and escaped text has the kind "literal"."""
    tokens = []
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup, match[match.lastgroup]
        if kind in ("quoted", "escaped"):
            tokens.append(("literal", text))
        elif kind == "space":
            tokens.append(("literal", " "))
        elif kind == "bracket" and text.lower().strip("hms") == "" and text:
            tokens.append(("elapsed", text.lower()))
        elif kind == "bracket" and text.startswith("$"):
            tokens.append(("literal", text[1:].split("-")[0]))
        elif kind not in ("fill", "bracket"):
            tokens.append((kind, text))
    return tokens


def _sections(code):
    """Return the parts of a format between semicolons that are not quoted."""
    parts = re.findall(r'(?:"[^"]*"|\\.|[^;"\\])+|;', code, re.DOTALL)
    sections = [""]
    for part in parts:
        if part == ";":
            sections.append("")
        else:
            sections[-1] += part
    return sections


def _with_minutes(tokens):
    """Turn m into minutes where it follows hours or precedes seconds."""
    result = list(tokens)
    dates = [place for place, (kind, _) in enumerate(tokens) if kind in ("date", "elapsed")]
    for order, place in enumerate(dates):
        if tokens[place][1][0].lower() != "m" or tokens[place][0] == "elapsed":
            continue
        before = tokens[dates[order - 1]][1][0].lower() if order else ""
        after = tokens[dates[order + 1]][1][0].lower() if order + 1 < len(dates) else ""
        if before == "h" or after == "s":
            result[place] = ("minute", tokens[place][1])
    return result


def _date_part(text, moment, half_days):
    letter, length = text[0].lower(), len(text)
    if letter == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if letter in "md" and length > 2:
        name = _MONTHS[moment.month - 1] if letter == "m" else _WEEKDAYS[moment.weekday()]
        return name[:1] if length == 5 and letter == "m" else name[:3] if length == 3 else name
    if letter == "s" and "." in text:
        places = len(text) - text.index(".") - 1
        return f"{moment.second + moment.microsecond / 1e6:0{places + 3}.{places}f}"
    hour = (moment.hour - 1) % 12 + 1 if half_days else moment.hour
    value = {"m": moment.month, "d": moment.day, "h": hour, "s": moment.second}[letter]
    return f"{value:02d}" if length > 1 else str(value)


def _elapsed(text, moment):
    seconds = (moment.replace(tzinfo=None) - datetime.datetime(1899, 12, 30)).total_seconds()
    value = int(seconds // {"h": 3600, "m": 60, "s": 1}[text[0]])
    return f"{value:0{len(text)}d}"


def _format_date(moment, tokens):
    half_days = any(kind == "half" for kind, _ in tokens)
    parts = []
    for kind, text in _with_minutes(tokens):
        if kind == "date":
            parts.append(_date_part(text, moment, half_days))
        elif kind == "minute":
            parts.append(f"{moment.minute:0{min(len(text), 2)}d}")
        elif kind == "elapsed":
            parts.append(_elapsed(text, moment))
        elif kind == "half":
            name = "AM" if moment.hour < 12 else "PM"
            parts.append(name if len(text) > 3 else name[0])
        else:
            parts.append(text)
    return "".join(parts)


def _fraction_text(digits, pattern):
    """Drop the zeros at the end that the pattern does not ask for."""
    kept = len(digits)
    while kept and digits[kept - 1] == "0" and pattern[kept - 1] != "0":
        kept -= 1
    return digits[:kept] + "".join(" " for sign in pattern[kept:] if sign == "?")


def _decimal_text(magnitude, places):
    """Return a number with the given decimals, halves rounded up."""
    # Spreadsheets round the 15 digits that they show, so 1.005 becomes 1.01 although its double is a little less.
    with decimal.localcontext(prec=700, rounding=decimal.ROUND_HALF_UP):
        return f"{decimal.Decimal(f'{magnitude:.15g}').quantize(decimal.Decimal(1).scaleb(-places)):f}"


def _digits_text(magnitude, pattern, exponent):
    """Return a magnitude by a pattern such as #,##0.00."""
    body = pattern.rstrip(",")
    magnitude /= 1000 ** (len(pattern) - len(body))
    whole_pattern, point, fraction_pattern = body.partition(".")
    grouped, signs = "," in whole_pattern, whole_pattern.replace(",", "")
    places = len(fraction_pattern)
    suffix = ""
    if exponent:
        mantissa, _, power = f"{magnitude:.{places}E}".partition("E")
        magnitude = float(mantissa)
        sign = "-" if int(power) < 0 else "+" if exponent[1] == "+" else ""
        suffix = f"{exponent[0]}{sign}{abs(int(power)):0{len(exponent) - 2}d}"
    whole, _, fraction = _decimal_text(magnitude, places).partition(".")
    whole = whole.lstrip("0").rjust(signs.count("0"), "0")
    if grouped and whole:
        width = len(whole)
        commas = ("," if place and (width - place) % 3 == 0 else "" for place in range(width))
        whole = "".join(map("".join, zip(commas, whole)))
    if "?" in signs:
        whole = whole.rjust(len(signs) - signs.count("#"))
    return whole + point + _fraction_text(fraction, fraction_pattern) + suffix


def _format_number(number, tokens):
    if not any(kind == "digits" for kind, _ in tokens):
        return "".join(text for _, text in tokens)
    percents = sum(kind == "other" and text == "%" for kind, text in tokens)
    exponent = next((text for kind, text in tokens if kind == "exponent"), None)
    parts, is_written = [], False
    for kind, text in tokens:
        if kind == "digits" and not is_written:
            parts.append(_digits_text(abs(number) * 100**percents, text, exponent))
            is_written = True
        elif kind not in ("digits", "exponent"):
            parts.append(text)
    return "".join(parts)


def _is_date_format(tokens):
    kinds = [kind for kind, _ in tokens]
    return ("date" in kinds or "elapsed" in kinds) and "digits" not in kinds


def _format_text(text, sections):
    if len(sections) > 3 or "@" in sections[-1]:
        return "".join(text if (kind, part) == ("other", "@") else part for kind, part in _tokens(sections[-1]))
    return text


def _chosen_section(number, sections):
    """Return the section for the sign of a number, and whether a minus sign is to be written."""
    if number < 0 and len(sections) > 1:
        return sections[1], False
    if number == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], number < 0


def TEXT(number, format_type):
    """Return a number or a date as text by a format such as "0.00", "#,##0", "0%" or "yyyy-mm-dd"."""
    if len(format_type) > _LONGEST_FORMAT:
        raise ValueError("the format is too long")
    sections = _sections(format_type)
    if is_text(number) or isinstance(number, bool):
        return _format_text(str(number).upper() if isinstance(number, bool) else str(number), sections)
    if number is None:
        number = 0
    if isinstance(number, (datetime.date, datetime.time)):
        return _format_date(as_datetime(number), _tokens(sections[0]))
    if not is_number(number):
        raise TypeError(f"a number or a date is needed, not {type(number).__name__}")
    if format_type.lower() in ("", "general", "@"):
        return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)
    if not math.isfinite(number):
        return str(number)
    section, has_minus = _chosen_section(number, sections)
    tokens = _tokens(section)
    if _is_date_format(tokens):
        return _format_date(XL_TO_DATE(number), tokens)
    return ("-" if has_minus else "") + _format_number(number, tokens)
