"""Finding values in tables and lists, and links."""

import bisect
import urllib.parse

from sheaf import document_link
from sheaf.functions.values import as_list, is_date, is_list, is_number, is_text
from sheaf.functions.wildcards import text_matcher

_LINK_KEY = "LinkKey_"


def VLOOKUP(table, **field_value_pairs):
    """Return the record of a table whose fields have the given values, or an empty record."""
    return table.lookupOne(**field_value_pairs)


def SELF_HYPERLINK(label=None, page=None, **kwargs):
    """Return the address of the document, optionally with a label, a page and arguments named LinkKey_NAME."""
    keys = {}
    for name, value in kwargs.items():
        if not name.startswith(_LINK_KEY):
            raise TypeError(f"unexpected keyword argument {name!r}, which does not begin with {_LINK_KEY}")
        keys[name[len(_LINK_KEY) :] + "_"] = value
    if not document_link.url:
        raise ValueError("the address of the document is not known")
    address = document_link.url + (f"/p/{page}" if page else "")
    if keys:
        address += "?" + urllib.parse.urlencode(keys)
    return f"{label} {address}" if label else address


def HYPERLINK(url, link_label=None):
    """Return a link for a text column: the label, a space and the address."""
    return f"{link_label} {url}" if link_label else str(url)


def CHOOSE(index, choice1, *more_choices):
    """Return one of the choices by its position, which counts from 1."""
    choices = (choice1, *more_choices)
    if not 1 <= index < len(choices) + 1:
        raise ValueError(f"there is no choice {index}")
    return choices[int(index) - 1]


def _item(items, position, what):
    if not 1 <= position <= len(items):
        raise IndexError(f"there is no {what} {position}")
    return items[int(position) - 1]


def INDEX(reference, row, column=None):
    """Return an item of a list or of a list of lists by positions, which count from 1; 0 means a whole row or column."""
    rows = as_list(reference)
    if not any(map(is_list, rows)):
        if row == 0:
            return rows if not column else _item(rows, column, "column")
        if column and column != 1:
            # A single row is addressed by its column.
            return _item(rows, column if row == 1 else 0, "column")
        return _item(rows, row, "row")
    if row == 0:
        return rows if not column else [_item(as_list(each), column, "column") for each in rows]
    chosen = as_list(_item(rows, row, "row"))
    return _item(chosen, column, "column") if column else chosen


def _comparable(items, key):
    """Return the positions and the items of the kind of the key, because kinds have no order among each other."""
    for is_kind in (is_number, is_text, is_date):
        if is_kind(key):
            return [(position, item) for position, item in enumerate(items, 1) if is_kind(item)]
    raise TypeError(f"a {type(key).__name__} has no order")


def _position(key, items, search_type):
    if search_type == 0:
        is_match = text_matcher(str(key)) if is_text(key) else lambda item: item == key
        for position, item in enumerate(items, 1):
            if is_match(item):
                return position
        raise ValueError(f"there is no {key!r} in the list")
    order = (lambda item: str(item).lower()) if is_text(key) else lambda item: item
    pairs = _comparable(items, key)
    if search_type < 0:
        found = [position for position, item in pairs if order(item) >= order(key)]
        count = len(found)
    else:
        found = [position for position, _ in pairs]
        count = bisect.bisect_right([order(item) for _, item in pairs], order(key))
    if not count:
        raise ValueError(f"{key!r} lies outside of the list")
    return found[count - 1]


def MATCH(search_key, range, search_type=1):
    """Return the position of a value in a list: 1 for an ascending list, -1 for a descending one, 0 for an equal value."""
    return _position(search_key, as_list(range), search_type)


def LOOKUP(search_key, search_range_or_search_result_array, result_range=None):
    """Return the item of the second list where the first one, which is ascending, has the last value up to the key."""
    rows = as_list(search_range_or_search_result_array)
    if result_range is not None:
        return _item(as_list(result_range), _position(search_key, rows, 1), "item")
    if any(map(is_list, rows)):
        rows = [as_list(row) for row in rows]
        keys, results = [row[0] for row in rows], [row[-1] for row in rows]
        return results[_position(search_key, keys, 1) - 1]
    return rows[_position(search_key, rows, 1) - 1]


def HLOOKUP(search_key, range, index, is_sorted=True):
    """Return an item of the column whose first item, in the first of several rows, is the key."""
    rows = [as_list(row) for row in range]
    column = _position(search_key, rows[0], 1 if is_sorted else 0)
    return _item(_item(rows, index, "row"), column, "column")


def ROWS(range):
    """Return the number of items of a list, or of rows of a list of lists."""
    return len(as_list(range))


def COLUMNS(range):
    """Return the number of columns of a list of lists, or 1."""
    rows = as_list(range)
    return max((len(as_list(row)) for row in rows), default=0)


def ADDRESS(row, column, absolute_relative_mode=1, use_a1_notation=True, sheet=None):
    """Return the name of a cell in the notation of spreadsheets."""
    mode = int(absolute_relative_mode)
    if row < 1 or column < 1 or mode not in (1, 2, 3, 4):
        raise ValueError("rows and columns count from 1, and the mode is 1 to 4")
    fixed_row, fixed_column = mode in (1, 2), mode in (1, 3)
    if use_a1_notation:
        letters, rest = "", int(column)
        while rest:
            rest, letter = divmod(rest - 1, 26)
            letters = chr(65 + letter) + letters
        name = ("$" if fixed_column else "") + letters + ("$" if fixed_row else "") + str(int(row))
    else:
        name = f"R{int(row)}" if fixed_row else f"R[{int(row)}]"
        name += f"C{int(column)}" if fixed_column else f"C[{int(column)}]"
    return f"{sheet}!{name}" if sheet else name
