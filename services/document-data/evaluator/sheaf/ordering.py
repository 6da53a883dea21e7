"""Orders of records: None, then numbers, then text, then everything else; equal records by row id."""

import datetime

from sheaf.alt_text import AltText


class Descending:
    """A sort key that compares the other way round."""

    __slots__ = ("key",)

    def __init__(self, key):
        self.key = key

    def __lt__(self, other):
        return other.key < self.key

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)


def value_key(value):
    """Return a key that compares with those of all other values."""
    if value is None:
        return (0,)
    if isinstance(value, (bool, int, float)):
        return (1, value)
    if isinstance(value, datetime.datetime):
        return (1, value.timestamp())
    if isinstance(value, datetime.date):
        return (1, value.toordinal())
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, AltText):
        return (2, str(value))
    if getattr(type(value), "sheaf_kind", None) == "record":
        return (1, value._row)
    if isinstance(value, (list, tuple)):
        return (3, tuple(value_key(item) for item in value))
    return (4, type(value).__name__, str(value))


def sort_key(value, descending):
    """Return the sort key of a value."""
    return Descending(value_key(value)) if descending else value_key(value)


def order_keys(table, rows, specs):
    """Return the sort keys of rows; `specs` are (column, descending)."""
    parts = [[sort_key(column.plain(value), descending) for value in column.fetch_many(rows)] for column, descending in specs]
    return list(zip(*parts, strict=True))


def parse_order(table, order_by, allow_id=True):
    """Return the (column, descending) of `order_by`: a name, a tuple of names, "-name" for descending; KeyError for an unknown column."""
    if order_by is None:
        return ()
    names = (order_by,) if isinstance(order_by, str) else order_by
    if not isinstance(names, tuple):
        raise TypeError("order_by must be text or a tuple of texts")
    specs = []
    for name in names:
        if not isinstance(name, str):
            raise TypeError("order_by must be text or a tuple of texts")
        column_id = name.removeprefix("-")
        if column_id == "id":
            if not allow_id:
                raise ValueError("order_by cannot be the id")
            specs.append((table.row_ids, name.startswith("-")))
        elif column_id == "manualSort" and column_id not in table.columns:
            specs.append((table.row_ids, name.startswith("-")))
        else:
            specs.append((table.column(column_id), name.startswith("-")))
    return tuple(specs)


def sorted_rows(table, rows, specs):
    """Return rows, given in ascending order, sorted by the specs."""
    if not specs or len(rows) < 2:
        return rows
    with table.engine.computing():
        for column, _ in specs:
            if column.ref is not None:
                table.engine.settle_column(column, rows)
        keys = order_keys(table, rows, specs)
    return tuple(row for _, row in sorted(zip(keys, rows, strict=True), key=lambda pair: pair[0]))
