"""Patterns of spreadsheets: ? for a character, * for any text, ~ before one of them for itself."""

import re

from sheaf.functions.values import is_text


def text_matcher(pattern):
    """Return a function that tells whether a value is text of a pattern, whatever the letter case."""
    expression = ""
    for part in re.findall(r"~[*?~]|.", pattern, re.DOTALL):
        expression += {"*": ".*", "?": "."}.get(part, re.escape(part[-1]))
    # Neighbouring stars mean the same as one, and many of them would make the search slow.
    compiled = re.compile(re.sub(r"(\.\*)+", ".*", expression), re.IGNORECASE | re.DOTALL)
    return lambda value: is_text(value) and compiled.fullmatch(str(value)) is not None
