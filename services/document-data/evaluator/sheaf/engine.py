"""The state of a document's evaluator: its tables, and the computation of the cells of one exchange."""

import contextlib
import datetime
import time

from sheaf.checks import line_of
from sheaf.columns import Column
from sheaf.failures import CircularRefError, Failure, Postponed
from sheaf.lookups import LookupMap
from sheaf.names import Namespace
from sheaf.reads import FormulaReads, LookupKeys
from sheaf.results import check_size, failure_form
from sheaf.exchange import Exchange, Tally
from sheaf.stored import date_of, moment_of, zone_of
from sheaf.tables import Table
from sheaf.together import compute_together
from sheaf import clock

DEEPEST = 30
"""Cells that may be computed inside each other before the outer ones wait: the stack of the runtime is small."""


class Engine(Exchange):
    """Computes cells. `link` sends and receives what the protocol knows."""

    def __init__(self, link):
        self.link = link
        self.zone = datetime.timezone.utc
        self.tables = {}
        self.columns = {}
        self.names = Namespace(self)
        self.blind = FormulaReads()
        self.lookup_keys = {}
        self.lookup_maps = {}
        self.batches = {}
        self.is_small_batch = False
        self.peeking = False
        self.postponed = None
        self.column = None
        self.row = 0
        self.reads = self.blind
        self.depth = 0
        self.bulk = ()
        self.may_postpone = False
        self.pending = []
        self.touched = {}
        self.clock_start = 0.0
        self.announced = None
        self.user = None
        # The column whose formula is checked, and the lines of the errors in its cells.
        self.checked = None
        self.lines = {}

    # The schema

    def define(self, message):
        """Take a schema; columns whose ref, type and table are unchanged keep their cells."""
        zone = zone_of(message.get("timezone") or "UTC")
        before = self.columns if zone == self.zone else {}
        self.zone = clock.timezone = zone
        tables, self.columns = {}, {}
        for definition in message["tables"]:
            table = self.tables.get(definition["tableId"]) or Table(self, definition["tableId"])
            columns = {}
            for field in definition["columns"]:
                column = before.get(field["ref"])
                if column is None or column.table is not table:
                    column = Column(self, table, field)
                else:
                    column.define(table, field)
                columns[column.col_id] = self.columns[column.ref] = column
            tables[table.table_id] = table
            if not set(table.columns.values()) & set(columns.values()):
                table.forget()
            table.columns = columns
        self.tables = tables
        for table in tables.values():
            table.define(table.columns)
        self.lookup_maps = {}
        self.names.rebuild()

    def namespace(self):
        """Return the names that formulas see."""
        return self.names.names

    # The parent

    def ask_cells(self, column, rows):
        """Return (row, stored form) of cells from the parent; `rows` None means all."""
        request = {"type": "read", "column": column.ref}
        if rows is not None:
            request["rows"] = list(rows)
        return [cell for found, values in self._ask(request) for cell in zip(found, values, strict=True)]

    def ask_column(self, column):
        """Yield lists of rows and of stored forms of a whole column from the parent."""
        return self._ask({"type": "read", "column": column.ref})

    def ask_rows(self, table):
        """Return all row ids of a table."""
        return [row for rows, _ in self._ask({"type": "read", "table": table.table_id}) for row in rows]

    def _ask(self, request):
        begun = time.perf_counter()
        yield from self.link.ask(request)
        # Reading takes no time of the formula.
        self.clock_start += time.perf_counter() - begun

    def announce(self, column):
        """Tell the parent which column is computed now, and charge the time since then to the last one."""
        if column is not self.announced:
            self.charge(column)
            if column is not None:
                self.link.send({"type": "computing", "column": column.ref})

    def charge(self, column):
        """Charge the time since the last call to the column that was computed, and the time from now on to this one."""
        now = time.perf_counter()
        if self.announced is not None:
            self.touched[self.announced].seconds += now - self.clock_start
        self.clock_start = now
        self.announced = column
        if column is not None and column not in self.touched:
            self.touched[column] = Tally()

    # Lookups

    def lookup_map(self, table, columns, contains):
        """Return the map of a table by key columns, made at its first use."""
        name = (table.table_id, tuple(column.ref for column in columns), contains)
        found = self.lookup_maps.get(name)
        if found is None:
            keys = self.lookup_keys.get(name)
            if keys is None:
                keys = self.lookup_keys[name] = LookupKeys(*name)
            found = self.lookup_maps[name] = LookupMap(table, columns, contains, keys)
        return found

    def mark_stale(self, table, rows, column=None):
        """Let the lookups of a table look at rows again: all lookups, or those with a key column."""
        for found in self.lookup_maps.values():
            if found.table is table and (column is None or column in found.columns):
                found.stale.update(rows)

    def note_rows_of(self, table):
        """Record that the formula depends on which rows a table has."""
        if not self.peeking:
            self.reads.tables.add(table.table_id)

    @contextlib.contextmanager
    def computing(self):
        """Read valid cells inside, also for a formula that peeks: lookups and orders are kept for other formulas."""
        peeking, self.peeking = self.peeking, False
        try:
            yield
        finally:
            self.peeking = peeking

    def settle_column(self, column, rows):
        """Have many cells of a column at hand before they are read one by one."""
        present = column.table.row_set()
        absent = [row for row in rows if row not in column.cells and row not in column.errors and row in present]
        if len(absent) < 2 or column.stopped is not None:
            return
        if column.is_formula or column.todo:
            waiting = [row for row in absent if column.is_open(row)]
            if len(waiting) > 1 and not self.peeking and self.can_postpone(column):
                column.wanted.update(waiting)
                self.postpone(column, None)
            absent = [row for row in absent if not column.is_open(row)]
        if absent:
            column.load(absent)

    # Cells

    def can_postpone(self, column):
        """Tell whether a whole column may be computed before the current cell: nothing else waits for that cell."""
        return self.may_postpone and self.depth == 1 and column not in self.bulk

    def postpone(self, column, row):
        """End the computation of the current cell until another one, or a column, is computed."""
        # Without a Python function that could itself exceed the depth of recursion.
        self.postponed = Postponed()
        self.postponed.column, self.postponed.row = column, row
        raise self.postponed

    def demand(self, column, row):
        """Compute a cell that the current cell needs."""
        if self.postponed is not None:
            raise self.postponed
        if row in column.busy:
            raise CircularRefError("the cell needs its own value")
        if len(column.todo) > 1 and self.can_postpone(column):
            self.postpone(column, None)
        if self.depth >= DEEPEST:
            self.postpone(column, row)
        outer = self.column, self.row, self.reads, self.peeking, clock.volatile_used
        column.busy.add(row)
        self.depth += 1
        try:
            self.announce(column)
            self.evaluate(column, row)
        finally:
            self.depth -= 1
            column.busy.discard(row)
            self.column, self.row, self.reads, self.peeking, clock.volatile_used = outer
        self.announce(self.column)

    def evaluate(self, column, row):
        """Compute a cell and keep its result; Postponed if it has to wait."""
        reads = column.reads
        self.column, self.row, self.reads = column, row, reads
        self.peeking = False
        firing = column.firing
        if firing.conditional and not firing.is_due(row):
            column.leave(row)
            return
        clock.volatile_used = False
        tally = self.touched[column]
        try:
            if column.function is None:
                column.compile()
            if column.function is not None:
                table = column.table
                stored = column.encode(column.function(table.record_class(row, reads.own), table.face))
                kind = stored.__class__
                if kind is str and len(stored) > 100_000:
                    check_size(stored)
                # Most results are numbers in a column of type Any, which are their own values.
                value = stored if kind is not str and column.base == "Any" else column.decode(stored)
            elif column.failure is not None:
                value, stored = column.failure, failure_form(column.failure)
            else:
                value, stored = column.decode(None), None
        except BaseException as error:  # a formula may raise anything, also SystemExit
            if self.postponed is not None:
                raise self.postponed from None
            if self.depth > 1 and isinstance(error, (RecursionError, MemoryError)):
                # The cells around this one may have used up the stack, so it is computed alone.
                self.postpone(column, row)
            value = Failure.of(error)
            stored = failure_form(value)
            if column is self.checked:
                self.lines[row] = line_of(error)
        if self.postponed is not None:
            raise self.postponed
        if value.__class__ is Failure:
            tally.errors += 1
            if firing.is_running:
                value = firing.failed(value, row)
                stored = failure_form(value)
            column.errors[row] = value
            column.cells.pop(row, None)
        else:
            column.cells[row] = value
        if clock.volatile_used:
            tally.is_volatile = True
        if firing.is_watched:
            firing.fresh[row] = stored
        tally.rows.append(row)
        column.version += 1
        if row in column.todo:
            column.todo.remove(row)
            if tally.add(row, stored):
                self.flush(column)
        else:
            column.passing.append(row)

    def settle(self, column, row, wait):
        """Compute a cell and, from an explicit stack, the cells that it waits for. Return a column to be computed first, or None."""
        stack = [(column, row)]
        while wait is not None or stack:
            if wait is not None:
                self.postponed = None
                if wait.row is None:
                    column.busy.discard(row)
                    return wait.column
                stack.append((wait.column, wait.row))
                wait = None
            current, place = stack[-1]
            self.may_postpone = len(stack) == 1
            current.busy.add(place)
            self.depth = 1
            try:
                if current.is_open(place):
                    self.announce(current)
                    self.evaluate(current, place)
            except Postponed as again:
                wait = again
                continue
            current.busy.discard(place)
            stack.pop()
        return None

    def finish(self, column):
        """Compute all dirty cells of a column, and first those of columns that it needs."""
        stack = [column]
        while stack:
            current = stack[-1]
            self.bulk = set(stack)
            needed = self._run(current)
            if needed is None:
                stack.pop()
                self.flush(current)
            else:
                stack.append(needed)
        self.bulk = ()

    def _run(self, column):
        """Compute the dirty cells of a column; return a column that has to come first, or None."""
        open_rows = sorted(column.todo | column.wanted)
        if open_rows:
            self.announce(column)
            open_rows = compute_together(self, column, open_rows)
        busy, todo, evaluate, is_open = column.busy, column.todo, self.evaluate, column.is_open
        for row in open_rows:
            # Cells before may have computed this one.
            if row not in todo and not is_open(row):
                continue
            busy.add(row)
            self.depth = 1
            self.may_postpone = True
            try:
                evaluate(column, row)
            except Postponed as wait:
                needed = self.settle(column, row, wait)
                self.depth = 0
                if needed is not None:
                    return needed
                self.announce(column)
            busy.discard(row)
        self.depth = 0
        column.wanted.clear()
        return None

    def flush(self, column):
        """Send the results that are ready."""
        tally = self.touched.get(column)
        if tally is not None and tally.result_rows:
            self.link.send_results(column.ref, *tally.take())

    def decode_any(self, code, route):
        """Return the value of a coded value; `route` is how its records are reached."""
        if isinstance(code, dict):
            return {key: self.decode_any(item, route) for key, item in code.items()}
        if not isinstance(code, list) or not code:
            return code
        kind, rest = code[0], code[1:]
        if kind == "L":
            return [self.decode_any(item, route) for item in rest]
        if kind == "O" and isinstance(rest[0], dict):
            return self.decode_any(rest[0], route)
        if kind == "d":
            return date_of(rest[0])
        if kind == "D":
            return moment_of(rest[0], zone_of(rest[1]) if len(rest) > 1 else self.zone)
        if kind == "R" and rest[0] in self.tables:
            return self.tables[rest[0]].record_class(rest[1], route)
        if kind == "r" and rest[0] in self.tables:
            return self.tables[rest[0]].record_set(tuple(rest[1]), route)
        return str(rest[0]) if rest else None
