"""Trigger formulas: formulas of data columns, which run when a row is new or when cells that they name change."""

from sheaf.failures import Failure
from sheaf.source import compile_formula

MANY_ROWS = 2000
"""Rows beyond which the cells of a whole column are asked for."""


class Firing:
    """What an exchange knows of a column whose cells run a trigger formula, or make one run by their change."""

    def __init__(self, column):
        self.column = column
        self.is_trigger = False
        self.deps = ()
        self.conditional = set()
        self.is_running = False
        self.fresh = {}
        self.before = {}
        self.is_watched = False

    def begin(self):
        """Begin to compute cells of the column."""
        self.is_running = self.is_trigger

    def is_used(self):
        """Tell whether the exchange has something to forget here."""
        return self.is_running or self.is_watched

    def end(self):
        """Forget what holds for one exchange only."""
        self.is_running = self.is_watched = False
        self.conditional = set()
        self.fresh, self.before = {}, {}

    def compile(self, names):
        """Return the function (rec, table) of the formula, which also has the names `value` and `user`."""
        function = compile_formula(self.column.formula, names, ("rec", "table", "value", "user"))
        if function is None:
            return None

        def run(record, table):
            return function(record, table, self.value_of(record._row), self.column.engine.user)
        return run

    def value_of(self, row):
        """Return the cell as the write left it. After an error, it is the value from before the error."""
        column = self.column
        value = column.stored_before(row)
        if value.__class__ is Failure:
            value = column.decode(value.before)
        return None if value.__class__ is Failure else column.rich(value, column.reads.own)

    def watch(self):
        """Compare the cells of the columns that the formula names, when they are computed, with those before."""
        for ref in self.deps:
            named = self.column.engine.columns.get(ref)
            if named is not None and named is not self.column:
                named.firing.is_watched = True

    def is_due(self, row):
        """Tell whether the formula runs in a row: for sure, or because a cell that it names is computed and differs."""
        if row not in self.conditional:
            return True
        columns = self.column.engine.columns
        return any(ref in columns and columns[ref] is not self.column and columns[ref].firing.has_changed(row) for ref in self.deps)

    def has_changed(self, row):
        """Compute a cell if it is dirty, and tell whether it differs from the stored one."""
        column = self.column
        if row in column.todo:
            try:
                column.fetch(row)
            except Exception:  # an error is a value of the cell as well
                pass
        if row not in self.fresh:
            return False
        return self.fresh[row] != self._stored(row)

    def failed(self, failure, row):
        """Return a failure that keeps the value of the cell, so that an error loses no data."""
        stored = self._stored(row)
        before = self.column.decode(stored)
        return Failure(failure.name, failure.message, before.before if before.__class__ is Failure else stored)

    def _stored(self, row):
        """Return the stored form of a cell before the exchange."""
        if row not in self.before:
            column = self.column
            rows = sorted({row, *self.fresh, *column.todo})
            for asked, stored in column.engine.ask_cells(column, rows if len(rows) <= MANY_ROWS else None):
                self.before.setdefault(asked, stored)
        return self.before.setdefault(row, None)
