"""Telephone numbers in the notation of their country or of international calls."""

import re

from sheaf.functions.phone_plans import CALLING_CODES, GROUPINGS, TRUNK_PREFIXES, TWO_DIGIT_CODES

_STYLES = {
    "#": "national", "NATL": "national", "+": "international", "INTL": "international",
    "*": "plain", "E164": "plain", "tel": "link", "RFC3966": "link",
}  # fmt: skip
_CHARACTERS = re.compile(r"\+?[\d\s().\-/\u2010-\u2015\u00a0~]*")
_EXTENSION = re.compile(r"(?:;ext=|\s*(?:ext|extn|x)\.?\s*|\s*#\s*)(\d{1,7})$", re.IGNORECASE)


class NumberParseException(ValueError):
    """Raised for text that is no telephone number."""


def _calling_code(digits):
    """Return the calling code with which the digits of an international number begin."""
    if digits[:1] in ("1", "7"):
        return digits[:1]
    return digits[:2] if digits[:2] in TWO_DIGIT_CODES else digits[:3]


def _parse(text, country):
    """Return the calling code, the digits after it, and the extension."""
    number = re.sub(r"^tel:", "", text.strip(), flags=re.IGNORECASE)
    extension = _EXTENSION.search(number)
    number = number[: extension.start()] if extension else number
    if not _CHARACTERS.fullmatch(number):
        raise NumberParseException("the text is not a telephone number")
    digits = "".join(str(int(character)) for character in number if character.isdigit())
    home = CALLING_CODES.get((country or "").upper())
    is_international = number.startswith("+")
    if not is_international:
        if home is None:
            raise NumberParseException("a number without + needs the code of a country")
        abroad = "011" if home == "1" else "00"
        if digits.startswith(abroad):
            digits, is_international = digits[len(abroad) :], True
    code = _calling_code(digits) if is_international else home
    rest = digits[len(code) :] if is_international else digits
    if not 2 <= len(rest) <= 15:
        raise NumberParseException("the number is too short or too long")
    trunk = TRUNK_PREFIXES.get(code)
    if trunk and rest.startswith(trunk) and not (code == "1" and len(rest) <= 10):
        rest = rest[len(trunk) :]
    return code, rest, extension[1] if extension else ""


def _grouped(code, digits, is_national):
    for pattern, national, abroad in GROUPINGS.get(code, ()):
        if re.fullmatch(pattern, digits):
            return re.sub(pattern, national if is_national else abroad, digits)
    return digits


def PHONE_FORMAT(value, country=None, format=None):
    """Return a telephone number in national ("#"), international ("+"), plain ("*") or link ("tel") notation."""
    if value is None or value == "":
        return value
    if not isinstance(value, str):
        raise TypeError("a telephone number is a text, not a number")
    if format is None and country in _STYLES:
        country, format = None, country
    if format is not None and format not in _STYLES:
        raise ValueError(f"no notation of telephone numbers: {format!r}")
    code, digits, extension = _parse(value, country)
    style = _STYLES[format or "#"]
    if style == "plain":
        return f"+{code}{digits}"
    if style == "national" and country and CALLING_CODES.get(country.upper()) == code:
        return _grouped(code, digits, True) + (f" ext. {extension}" if extension else "")
    written = f"+{code} {_grouped(code, digits, False)}"
    if style == "link":
        return "tel:" + written.replace(" ", "-") + (f";ext={extension}" if extension else "")
    return written + (f" ext. {extension}" if extension else "")
