"""Records and record sets as formulas see them."""

import bisect

from sheaf.ordering import order_keys, sort_key


class Record:
    """A row of a table. Each table has a class of its own with a property for each column."""

    __slots__ = ("_route", "_row")
    sheaf_kind = "record"
    _table = None

    def __init__(self, row, route):
        self._row = row
        self._route = route

    @property
    def id(self):
        """The row id, 0 for a row that does not exist."""
        if self._row <= 0 or self._route.is_certain() or self._table.exists(self._row):
            return self._row
        self._table.engine.note_rows_of(self._table)
        return 0

    def __getattr__(self, name):
        # Only names that are no column come here.
        raise AttributeError(f"Table '{self._table.table_id}' has no column '{name}'")

    def __bool__(self):
        return bool(self._row)

    def __eq__(self, other):
        if not isinstance(other, Record):
            return NotImplemented
        return self._table is other._table and self._row == other._row

    def __hash__(self):
        return hash((self._table.table_id, self._row))

    def __lt__(self, other):
        return self._row < other._row if isinstance(other, Record) and other._table is self._table else NotImplemented

    def __le__(self, other):
        return self._row <= other._row if isinstance(other, Record) and other._table is self._table else NotImplemented

    def __gt__(self, other):
        return self._row > other._row if isinstance(other, Record) and other._table is self._table else NotImplemented

    def __ge__(self, other):
        return self._row >= other._row if isinstance(other, Record) and other._table is self._table else NotImplemented

    def __dir__(self):
        return ["id", *self._table.column_names()]

    def __repr__(self):
        return f"{self._table.table_id}[{self._row}]"


class RecordSet:
    """Rows of a table in an order. Attributes are lists of the values, or record sets for references."""

    __slots__ = ("_order", "_route", "_rows", "_table")
    sheaf_kind = "records"

    def __init__(self, table, rows, route, order=None):
        self._table = table
        self._rows = rows
        self._route = route
        self._order = order

    @property
    def id(self):
        """The row ids, 0 for rows that do not exist."""
        rows = self._rows
        if not self._route.is_certain():
            existing = self._table.existing(rows)
            if len(existing) < len(rows):
                self._table.engine.note_rows_of(self._table)
                return [row if row in existing else 0 for row in rows]
        return list(rows)

    @property
    def find(self):
        """The operations that find a record by the values that the set is sorted by."""
        return Finder(self)

    def _record(self, row):
        return self._table.record_class(row, self._route)

    def __getattr__(self, name):
        column = self._table.columns.get(name)
        if column is None:
            raise AttributeError(f"Table '{self._table.table_id}' has no column '{name}'")
        route = self._route
        if column.ref not in route.reads:
            route.note(column)
        values = column.fetch_many(self._rows)
        target = column.engine.tables.get(column.target_id) if column.target_id is not None else None
        if target is None:
            return [column.rich(value, route) for value in values] if column.base == "Any" else values
        flat = {}
        for value in values:
            if value.__class__ is int:
                flat[value] = None
            elif value.__class__ is tuple:
                flat.update(dict.fromkeys(value))
        return target.record_set(tuple(flat), route.step(column))

    def __len__(self):
        return len(self._rows)

    def __bool__(self):
        return bool(self._rows)

    def __iter__(self):
        record_class, route = self._table.record_class, self._route
        for row in self._rows:
            yield record_class(row, route)

    def __getitem__(self, place):
        if isinstance(place, slice):
            return RecordSet(self._table, self._rows[place], self._route, self._order)
        return self._record(self._rows[place])

    def __reversed__(self):
        return map(self._record, reversed(self._rows))

    def __contains__(self, item):
        if isinstance(item, Record):
            return item._table is self._table and item._row in self._rows
        return item.__class__ is int and item in self._rows

    def __eq__(self, other):
        if not isinstance(other, RecordSet):
            return NotImplemented
        return self._table is other._table and sorted(self._rows) == sorted(other._rows)

    def __hash__(self):
        return hash((self._table.table_id, tuple(sorted(self._rows))))

    def __dir__(self):
        return ["id", "find", *self._table.column_names()]

    def __repr__(self):
        return f"{self._table.table_id}[{list(self._rows)}]"


class Finder:
    """Finds the record of a sorted set that is nearest to given values."""

    def __init__(self, records):
        if not records._order:
            raise ValueError("find needs records that are sorted: use order_by in the lookup")
        self._records = records

    def _places(self, values):
        """Return where the values would begin and end among the records."""
        if not values:
            raise TypeError("find needs at least one value")
        records = self._records
        specs = records._order[:len(values)]
        if len(values) > len(specs):
            raise ValueError("find got more values than columns that the records are sorted by")
        keys = order_keys(records._table, records._rows, specs)
        wanted = tuple(sort_key(value, descending) for value, (_, descending) in zip(values, specs, strict=True))
        return bisect.bisect_left(keys, wanted), bisect.bisect_right(keys, wanted)

    def _at(self, place):
        records = self._records
        return records._record(records._rows[place] if 0 <= place < len(records._rows) else 0)

    def lt(self, *values):
        """Return the last record before the values."""
        return self._at(self._places(values)[0] - 1)

    def le(self, *values):
        """Return the last record that is not after the values."""
        return self._at(self._places(values)[1] - 1)

    def gt(self, *values):
        """Return the first record after the values."""
        return self._at(self._places(values)[1])

    def ge(self, *values):
        """Return the first record that is not before the values."""
        return self._at(self._places(values)[0])

    def eq(self, *values):
        """Return the first record that has the values, else the empty record."""
        begin, end = self._places(values)
        return self._at(begin if begin < end else -1)


def record_class_of(table):
    """Return the class of a table's records."""
    names = {"__slots__": (), "_table": table, "__qualname__": "Record"}
    names.update((column.col_id, column.getter()) for column in table.columns.values())
    return type("Record", (Record,), names)
