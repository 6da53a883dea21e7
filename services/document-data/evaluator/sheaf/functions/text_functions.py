"""Parts, spelling and joining of text."""

import re
import unicodedata

from sheaf.functions.values import flatten

_LONGEST_REPETITION = 32767
_LONGEST_RESULT = 10_000_000


def CHAR(table_number):
    """Return the character with a Unicode number."""
    return chr(table_number)


def CODE(string):
    """Return the Unicode number of the first character."""
    return ord(string[0])


def CLEAN(text):
    """Return the text without control characters."""
    return "".join(character for character in text if unicodedata.category(character) != "Cc")


def CONCAT(string, *more_strings):
    """Return the arguments as text, joined."""
    return "".join(str(part) for part in (string, *more_strings))


def CONCATENATE(string, *more_strings):
    """Return the arguments as text, joined."""
    return CONCAT(string, *more_strings)


def JOIN(delimiter, value_or_array1, *more_values):
    """Return the values and the items of lists as text with a delimiter in between."""
    return str(delimiter).join(str(part) for part in flatten((value_or_array1, *more_values)))


def TEXTJOIN(delimiter, ignore_empty, text1, *more_texts):
    """Return the values and the items of lists as text with a delimiter in between, blanks left out if wished."""
    parts = ("" if part is None else str(part) for part in flatten((text1, *more_texts)))
    return str(delimiter).join(part for part in parts if part or not ignore_empty)


def SPLIT(text, delimiter, split_by_each=True, remove_empty_text=True):
    """Return the parts of a text between delimiters, of which each character counts unless told otherwise."""
    if not delimiter:
        raise ValueError("a delimiter is needed")
    pattern = f"[{re.escape(delimiter)}]" if split_by_each else re.escape(delimiter)
    parts = re.split(pattern, text)
    return [part for part in parts if part] if remove_empty_text else parts


def EXACT(string1, string2):
    """Return whether two texts are equal, letter case included."""
    return string1 == string2


def _require_count(count):
    if count < 0:
        raise ValueError("the number of characters must not be negative")


def LEFT(string, num_chars=1):
    """Return the first characters of a text."""
    _require_count(num_chars)
    return string[:num_chars]


def RIGHT(string, num_chars=1):
    """Return the last characters of a text; 0 characters mean the whole text."""
    _require_count(num_chars)
    return string[-num_chars:]


def _offset(position):
    if position < 1:
        raise ValueError("positions count from 1")
    return position - 1


def MID(text, start_num, num_chars):
    """Return characters of a text from a position, which counts from 1."""
    start = _offset(start_num)
    return text[start : start + num_chars]


def LEN(text):
    """Return the number of characters of a text or of items of a list."""
    return len(text)


def LOWER(text):
    """Return the text in small letters."""
    return text.lower()


def UPPER(text):
    """Return the text in capital letters."""
    return text.upper()


def PROPER(text):
    """Return the text with a capital letter at the start of each word."""
    return text.title()


def TRIM(text):
    """Return the text without spaces at the ends and with single spaces in between."""
    return re.sub(" {2,}", " ", text.strip(" "))


def REPT(text, number_times):
    """Return the text repeated; a result of more than 32,767 characters is an error."""
    if number_times < 0 or len(text) * number_times > _LONGEST_REPETITION:
        raise ValueError(f"the text can be repeated up to {_LONGEST_REPETITION} characters")
    return text * number_times


def REPLACE(text, position, length, new_text):
    """Return the text with a part, given by position and length, replaced."""
    start = _offset(position)
    return text[:start] + new_text + text[start + length :]


def SUBSTITUTE(text, old_text, new_text, instance_num=None):
    """Return the text with one text in it replaced by another, everywhere or at one occurrence."""
    text, old_text, new_text = str(text), str(old_text), str(new_text)
    if not old_text:
        return text
    if instance_num is None:
        if text.count(old_text) * len(new_text) > _LONGEST_RESULT:
            raise ValueError("the result is too long")
        return text.replace(old_text, new_text)
    if instance_num < 1:
        raise ValueError("occurrences count from 1")
    start = -len(old_text)
    for _ in range(instance_num):
        start = text.find(old_text, start + len(old_text))
        if start < 0:
            return text
    return text[:start] + new_text + text[start + len(old_text) :]


def FIND(find_text, within_text, start_num=1):
    """Return the position of a text within another one, letter case included."""
    return within_text.index(find_text, _offset(start_num)) + 1


def SEARCH(find_text, within_text, start_num=1):
    """Return the position of a text within another one, whatever the letter case."""
    return within_text.lower().index(find_text.lower(), _offset(start_num)) + 1


def REGEXEXTRACT(text, regular_expression):
    """Return the first match of a regular expression, or its first group if it has one."""
    match = re.search(regular_expression, text)
    if not match:
        raise ValueError("the text has no match of the regular expression")
    return match.group(1) if match.re.groups else match.group()


def REGEXMATCH(text, regular_expression):
    """Return whether a regular expression matches somewhere in the text."""
    return re.search(regular_expression, text) is not None


def REGEXREPLACE(text, regular_expression, replacement):
    """Return the text with all matches of a regular expression replaced."""
    return re.sub(regular_expression, replacement, text)


def ASC(text):
    """Return the text with characters of full width in their ordinary width."""
    return "".join(
        unicodedata.normalize("NFKC", character) if "\uff01" <= character <= "\uff5e" or character == "\u3000" else character
        for character in text
    )


def TASTEME(food):
    """Return whether the name of a food tastes good: a word of it has a letter again after the next one."""
    words = re.findall(r"\b[A-Z]+\b", food.upper())
    if not words:
        return None
    return any(letter == later for word in words for letter, later in zip(word, word[2:]))
