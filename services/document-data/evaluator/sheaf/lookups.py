"""Rows of a table by the values of key columns."""

import bisect
import collections
import struct

from sheaf.failures import CellError
from sheaf.ordering import sorted_rows
from sheaf.results import dumps


class CONTAINS:
    """A lookup value that finds rows whose list has the value; `match_empty` also finds empty lists if it equals the value."""

    def __init__(self, value, match_empty="__none__"):
        self.value = value
        self.match_empty = match_empty


def key_text(key):
    """Return the text of a key in the protocol."""
    return dumps([_exact(part) for part in key])


def _exact(part):
    if part.__class__ is float:
        return int(part) if part.is_integer() else "f:" + struct.pack(">d", part).hex()
    return part


MOST_KEYS = 100_000
"""Keys of values that a map remembers."""


class LookupMap:
    """Row ids by key, for one set of key columns. Only rows that changed are looked at again."""

    def __init__(self, table, columns, contains, keys):
        self.table = table
        self.columns = columns
        self.contains = contains
        self.keys = keys
        self.buckets = {}
        self.row_keys = {}
        # Reading a column whole brings the rows of the table too.
        if not table.has_rows() and not columns[0].is_formula:
            columns[0].load_whole()
        self.stale = set(table.row_list())
        self.sorted = {}
        self.known_keys = {str: {}, int: {}, float: {}}

    def key_of(self, value):
        """Return the key of a value of one column; None for a value whose key is not remembered."""
        known = self.known_keys.get(value.__class__)
        if known is None:
            return None
        key = known.get(value)
        if key is None:
            if len(known) >= MOST_KEYS:
                known.clear()
            key = known[value] = (self.columns[0].key_of(value),)
        return key

    def rows_of(self, key):
        """Return the rows of a key in the order of their ids."""
        if self.stale:
            self.refresh()
        return tuple(self.buckets.get(key, ()))

    def refresh(self):
        """Bring the rows that changed to their buckets."""
        if not self.stale:
            return
        with self.table.engine.computing():
            for column in self.columns:
                self.table.engine.settle_column(column, self.stale)
            present = self.table.row_set()
            rows = sorted(self.stale)
            if not self.row_keys and self.contains == (False,):
                rows = self._place_new(rows, present)
            for row in rows:
                self._place(row, self._keys_of(row) if row in present else ())

    def _place_new(self, rows, present):
        """Put the rows of a new map into buckets, all rows of equal cells together. Return the rows that need a closer look."""
        if not present.issuperset(rows):
            return rows
        values = list(map(self.columns[0].cells.get, rows))
        kinds = set(map(type, values))
        later = []
        for kind in kinds:
            same, cells = rows, values
            if len(kinds) > 1:
                same = [row for row, value in zip(rows, values, strict=True) if value.__class__ is kind]
                cells = [value for value in values if value.__class__ is kind]
            if kind in (str, int, float):
                self._place_equal(same, cells)
            else:
                later += same
        if len(kinds) > 1:
            for bucket in self.buckets.values():
                bucket.sort()
        self.stale = set(later)
        return sorted(later)

    def _place_equal(self, rows, values):
        """Put rows, whose cells hold these values of one type, into buckets: without a step of Python for each row."""
        firsts = dict(zip(reversed(values), reversed(rows), strict=True))
        keys = {value: self._keys_of(row) for value, row in firsts.items()}
        buckets = {value: self.buckets.setdefault(found[0], []) for value, found in keys.items()}
        collections.deque(map(list.append, map(buckets.__getitem__, values), rows), maxlen=0)
        self.row_keys.update(zip(rows, map(keys.__getitem__, values), strict=True))

    def _place(self, row, keys):
        """Put a row into the buckets of its keys."""
        self.stale.discard(row)
        before = self.row_keys.get(row, ())
        if keys != before:
            self._remove(row, before)
            self._insert(row, keys)

    def _remove(self, row, keys):
        for key in keys:
            bucket = self.buckets.get(key, [])
            place = bisect.bisect_left(bucket, row)
            if place < len(bucket) and bucket[place] == row:
                del bucket[place]
            if not bucket:
                self.buckets.pop(key, None)
            self.sorted.pop(key, None)
        self.row_keys.pop(row, None)

    def _insert(self, row, keys):
        for key in keys:
            bucket = self.buckets.setdefault(key, [])
            if not bucket or bucket[-1] < row:
                bucket.append(row)
            else:
                bisect.insort(bucket, row)
            self.sorted.pop(key, None)
        if keys:
            self.row_keys[row] = keys

    def _keys_of(self, row):
        """Return the keys of a row: several with CONTAINS, none if a key cell holds an error."""
        keys = ((),)
        for column, contains in zip(self.columns, self.contains, strict=True):
            try:
                value = column.cells[row] if row in column.cells else column.fetch(row)
            except CellError:
                return ()
            if contains:
                if value.__class__ is not tuple:
                    value = _list_of(column, value)
                parts = dict.fromkeys(value) if value else (None,)
            else:
                parts = (column.key_of(value),)
            keys = tuple((*key, part) for key in keys for part in parts)
        return keys

    def find(self, keys, specs):
        """Return the rows of the keys in the order of the specs."""
        self.refresh()
        if len(keys) == 1:
            rows = self.buckets.get(keys[0], ())
        else:
            rows = sorted({row for key in keys for row in self.buckets.get(key, ())})
        if not specs or len(rows) < 2:
            return tuple(rows)
        if len(keys) > 1:
            return sorted_rows(self.table, tuple(rows), specs)
        return self._sorted(keys[0], tuple(rows), specs)[0]

    def _sorted(self, key, rows, specs):
        """Return the sorted rows of a bucket and their places; kept until the bucket or a column of the order changes."""
        versions = tuple(column.version for column, _ in specs)
        kept = self.sorted.setdefault(key, {})
        found = kept.get(specs)
        if found is None or found[1] != versions:
            ordered = sorted_rows(self.table, rows, specs)
            versions = tuple(column.version for column, _ in specs)
            found = kept[specs] = (ordered, versions, {row: place for place, row in enumerate(ordered)})
        return found[0], found[2]

    def places(self, key, specs):
        """Return the sorted rows of a key and the place of each."""
        self.refresh()
        rows = tuple(self.buckets.get(key, ()))
        return self._sorted(key, rows, specs) if rows else ((), {})


def _list_of(column, value):
    """Return the elements of a cell of type Any that holds a list."""
    value = column.plain(value)
    return tuple(part for part in value if part.__class__ in (str, int, float)) if isinstance(value, (list, tuple)) else ()
