"""A table as formulas see it, and which rows it has."""

import bisect

from sheaf.lookups import CONTAINS
from sheaf.ordering import parse_order, sorted_rows
from sheaf.records import Record, RecordSet, record_class_of


class RowIds:
    """The row ids as a column to sort by."""

    ref = None
    version = 0

    @staticmethod
    def fetch_many(rows):
        """Return the ids themselves."""
        return list(rows)

    @staticmethod
    def plain(value):
        """Return the id itself."""
        return value


class Table:
    """The rows and columns of a table for the engine; formulas have its `face`."""

    row_ids = RowIds()

    def __init__(self, engine, table_id):
        self.engine = engine
        self.table_id = table_id
        self.columns = {}
        self.known = set()
        self.face = TableFace(self)
        self._rows = None
        self._row_set = None
        self._all = None
        self.orders = {}
        self.by_column = {}

    def define(self, columns):
        """Take the columns of a new schema."""
        self.columns = columns
        self.record_class = record_class_of(self)
        self.orders = {}
        self.by_column = {}

    def column(self, column_id):
        """Return the column of a name; KeyError without one."""
        column = self.columns.get(column_id)
        if column is None:
            raise KeyError(f"Table '{self.table_id}' has no column '{column_id}'")
        return column

    def column_names(self):
        """Return the names of the columns that people see."""
        return [name for name in self.columns if name != "manualSort" and not name.startswith("gristHelper_")]

    def record_set(self, rows, route, order=None):
        """Return a record set of rows."""
        return RecordSet(self, rows, route, order)

    def has_rows(self):
        """Tell whether all row ids are known."""
        return self._rows is not None

    def row_list(self):
        """Return the ascending row ids."""
        if self._rows is None:
            self.take_rows(self.engine.ask_rows(self))
        return self._rows

    def row_set(self):
        """Return the row ids as a set."""
        if self._rows is None:
            self.row_list()
        return self._row_set

    def take_rows(self, rows):
        """Take the row ids that the parent sent."""
        if self._rows is None:
            self._rows = list(rows)
            self._row_set = set(rows)
            self._all = None
            self.orders = {}

    def note_rows(self, rows):
        """Remember that rows exist."""
        if self._rows is None:
            self.known.update(rows)

    def all_rows(self):
        """Return all row ids as a tuple."""
        if self._all is None or self._rows is None:
            self._all = tuple(self.row_list())
        return self._all

    def forget(self):
        """Forget rows and cells."""
        self._rows = self._row_set = self._all = None
        self.known.clear()
        self.orders = {}
        self.by_column = {}
        for column in self.columns.values():
            column.forget_all()

    def update_rows(self, rows, gone):
        """Take rows that exist now and rows that do not any more."""
        if self._rows is None:
            self.known.update(rows)
            self.known.difference_update(gone)
            return
        for row in rows:
            if row not in self._row_set:
                self._row_set.add(row)
                bisect.insort(self._rows, row)
                self._all = None
        for row in gone:
            if row in self._row_set:
                self._row_set.discard(row)
                del self._rows[bisect.bisect_left(self._rows, row)]
                self._all = None
        if self._all is None:
            self.orders = {}

    def exists(self, row):
        """Tell whether a row exists, asking for as little as possible."""
        if self._rows is not None:
            return row in self._row_set
        return row in self.known or row in self.existing((row,))

    def existing(self, rows):
        """Return which of the rows exist."""
        if self._rows is None:
            unknown = [row for row in rows if row not in self.known]
            column = next((column for column in self.columns.values() if not column.is_formula), None)
            if unknown and column is not None and len(unknown) <= 1000:
                self.known.update(row for row, _ in self.engine.ask_cells(column, sorted(unknown)))
                return {row for row in rows if row in self.known}
            if not unknown:
                return set(rows)
        present = self.row_set()
        return {row for row in rows if row in present}

    def lookup(self, criteria, options):
        """Return the record set that a lookup finds."""
        engine = self.engine
        specs = self._order(options)
        if not criteria:
            return self._ordered_all(specs)
        if "id" in criteria:
            return self._by_id(criteria, specs)
        names = sorted(criteria) if len(criteria) > 1 else list(criteria)
        columns = tuple([self.column(name) for name in names])
        contains = tuple([isinstance(criteria[name], CONTAINS) for name in names])
        found = engine.lookup_map(self, columns, contains)
        if contains == (False,):
            self.by_column[names[0]] = found
        keys = [()]
        for column, name in zip(columns, names, strict=True):
            keys = [(*key, part) for key in keys for part in _parts(column, criteria[name])]
        reads = engine.reads
        route = reads.anywhere if engine.peeking else reads.route_of(found.keys)
        for column, _ in specs:
            if column.ref is not None and column.ref not in route.reads:
                route.note(column)
        if not engine.peeking:
            for key in keys:
                reads.note_key(found.keys, engine.row, key)
        return RecordSet(self, found.find(keys, specs), route, specs)

    def lookup_by_column(self, name, value):
        """Return what a lookup by one column finds; None if it needs a closer look."""
        found = self.by_column.get(name)
        key = None if found is None else found.key_of(value)
        if key is None:
            return None
        engine = self.engine
        reads = engine.reads
        if engine.peeking:
            return RecordSet(self, found.rows_of(key), reads.anywhere, ())
        reads.note_key(found.keys, engine.row, key)
        return RecordSet(self, found.rows_of(key), reads.route_of(found.keys), ())

    def _order(self, options):
        """Return the order of a lookup: `sort_by` wins over `order_by`."""
        return parse_order(self, options.get("sort_by") or options.get("order_by"))

    def _ordered_all(self, specs):
        engine = self.engine
        engine.note_rows_of(self)
        route = engine.reads.anywhere
        for column, _ in specs:
            if column.ref is not None and column.ref not in route.reads:
                route.note(column)
        return RecordSet(self, self.ordered(specs)[0], route, specs)

    def ordered(self, specs):
        """Return all rows sorted, and the place of each; kept until a column of the order or the rows change."""
        rows = self.all_rows()
        versions = tuple(column.version for column, _ in specs)
        found = self.orders.get(specs)
        if found is None or found[1] != versions:
            ordered = sorted_rows(self, rows, specs)
            versions = tuple(column.version for column, _ in specs)
            found = self.orders[specs] = (ordered, versions, {row: place for place, row in enumerate(ordered)} if specs else None)
        return found[0], found[2]

    def _by_id(self, criteria, specs):
        engine = self.engine
        wanted = criteria["id"]
        row = wanted._row if isinstance(wanted, Record) else wanted
        if isinstance(row, float) and row.is_integer():
            row = int(row)
        is_own = engine.column is not None and engine.column.table is self and row == engine.row
        route = engine.reads.own if is_own else engine.reads.anywhere
        if not is_own:
            engine.note_rows_of(self)
        rows = (int(row),) if isinstance(row, int) and row > 0 and self.exists(row) else ()
        for name, value in criteria.items():
            column = None if name == "id" else self.column(name)
            if column is not None and rows:
                route.note(column)
                parts = set(_parts(column, value))
                keys = engine.lookup_map(self, (column,), (isinstance(value, CONTAINS),))
                if not any(rows[0] in keys.find([(part,)], ()) for part in parts):
                    rows = ()
        return RecordSet(self, rows, route, specs)


def _parts(column, value):
    """Return the stored forms that a lookup value may have in a key column."""
    if not isinstance(value, CONTAINS):
        return (column.key_of(value),)
    part = value.value
    if isinstance(part, Record):
        part = part._row
    elif not isinstance(part, (str, int, float)) and part is not None:
        part = str(part)
    # A list that holds an empty element is not an empty list.
    element = "" if part is None else part
    if value.match_empty != "__none__" and value.match_empty == value.value:
        return (element, None)
    return (element,)


class TableFace:
    """A table in formulas."""

    __slots__ = ("_table",)

    def __init__(self, table):
        self._table = table

    @property
    def all(self):
        """All records of the table, in the order of their ids."""
        return self._table.lookup({}, {})

    def lookupRecords(self, **criteria):
        """Return the records whose columns have the given values."""
        if len(criteria) == 1:
            [(name, value)] = criteria.items()
            found = self._table.lookup_by_column(name, value)
            if found is not None:
                return found
        options = {name: criteria.pop(name) for name in ("order_by", "sort_by") if name in criteria}
        return self._table.lookup(criteria, options)

    def lookupOne(self, **criteria):
        """Return the first record that `lookupRecords` finds, else the empty record."""
        records = self.lookupRecords(**criteria)
        return records[0] if records else self._table.record_class(0, records._route)

    def __repr__(self):
        return f"<Table {self._table.table_id}>"

    def __getattr__(self, name):
        raise AttributeError(f"Table '{self._table.table_id}' has no attribute '{name}'")
