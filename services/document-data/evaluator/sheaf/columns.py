"""A column of a table: its cells as far as they are held, and reading them."""

from sheaf.failures import Failure, FormulaStopped
from sheaf.firing import Firing
from sheaf.reads import FormulaReads
from sheaf.results import dumps, encoder
from sheaf.source import compile_formula
from sheaf.stored import TAG, Coded, base_type, decode_plain, decoder, default_of
from sheaf.together import own_row_function

SINGLE_ASKS = 20
SINGLE_ROWS = 2000
"""How often, and for how many rows, cells are asked for one by one before the whole column is read."""


class Column:
    """Cells of a column by row id: `cells` has the valid values, `errors` the failures; everything else goes through `fetch`."""

    def __init__(self, engine, table, definition):
        self.engine = engine
        self.table = table
        self.ref = definition["ref"]
        self.cells = {}
        self.errors = {}
        self.old = {}
        self.missing = set()
        self.todo = set()
        self.wanted = set()
        self.busy = set()
        self.passing = []
        self.whole = False
        self.version = 0
        self.pending_after = None
        self.stopped = None
        self.asks = 0
        self.asked_rows = 0
        self.firing = Firing(self)
        self.type = self.formula = None
        self.reads = FormulaReads()
        self.define(table, definition)

    def define(self, table, definition):
        """Take over what the schema says; cached cells stay if the type is the same."""
        trigger = definition.get("trigger")
        formula = definition.get("formula", trigger)
        if (self.formula, self.type) != (formula, definition["type"]):
            self.reads = FormulaReads()
        if self.type != definition["type"]:
            self.type = definition["type"]
            self.forget_all()
        self.table = table
        self.col_id = definition["colId"]
        self.is_formula = "formula" in definition
        self.firing.is_trigger = trigger is not None
        self.firing.deps = tuple(definition.get("deps", ()))
        self.base = base_type(self.type)
        self.target_id = self.type.partition(":")[2] if self.base in ("Ref", "RefList") else "_grist_Attachments" if self.base == "Attachments" else None
        self.decode = decoder(self.type, self.engine.zone)
        self.encode = encoder(self.type, self.engine.zone)
        self.default = default_of(self.type)
        self.formula = formula
        self.function = None
        self.failure = self.failure_place = None
        self.is_compiled = False
        self.own_cells = None

    def compile(self):
        """Compile the formula at its first use, so that a schema of many formulas costs nothing by itself."""
        if not self.is_compiled:
            self.is_compiled = True
            try:
                names = self.engine.namespace()
                self.function = self.firing.compile(names) if self.firing.is_trigger else compile_formula(self.formula, names)
            except SyntaxError as error:
                self.failure = Failure(type(error).__name__, str(error.msg)[:200])
                self.failure_place = error.place

    def own_row_function(self):
        """Return what `together.own_row_function` does, made at its first use."""
        if self.own_cells is None:
            self.own_cells = (own_row_function(self),)
        return self.own_cells[0]

    def forget_all(self):
        """Drop all cells."""
        self.cells.clear()
        self.errors.clear()
        self.missing.clear()
        self.whole = False
        self.asks = self.asked_rows = 0
        self.version += 1

    def forget(self, row):
        """Drop the cell of a row."""
        self.cells.pop(row, None)
        self.errors.pop(row, None)
        self.missing.discard(row)
        self.version += 1

    def keep(self, row, stored):
        """Hold the stored form of a cell."""
        value = self.decode(stored)
        if value.__class__ is Failure:
            self.errors[row] = value
            self.cells.pop(row, None)
        else:
            self.cells[row] = value
            if self.errors:
                self.errors.pop(row, None)

    def is_held(self):
        """Tell whether the parent has to send changes of this column."""
        return self.whole or bool(self.cells) or bool(self.errors) or bool(self.missing)

    def is_open(self, row):
        """Tell whether a cell of a formula has to be computed before it is read."""
        if row in self.todo:
            return True
        return self.pending_after is not None and row > self.pending_after and row not in self.cells and row not in self.errors

    def fetch(self, row):
        """Return the value of a cell that is not in `cells`: compute it, ask for it, or raise its error."""
        if self.is_formula or self.todo:
            if self.stopped is not None:
                raise FormulaStopped(self.stopped)
            if self.is_open(row):
                return self._computed(row)
        for attempt in (False, True):
            if row in self.cells:
                return self.cells[row]
            if row in self.errors:
                self.errors[row].raise_again()
            if row <= 0 or row in self.missing or attempt:
                return self.default
            self.load((row,))
        return self.default

    def _computed(self, row):
        if self.engine.peeking and (row in self.todo or row in self.old):
            return self._before(row)
        if self.firing.is_running and row in self.busy and self.engine.column is self and self.engine.row == row:
            return self._before(row)
        if row not in self.todo and not self.table.exists(row):
            return self.default
        self.engine.demand(self, row)
        if row in self.errors:
            self.errors[row].raise_again()
        return self.cells[row]

    def _before(self, row):
        """Return the value that a cell had before it became dirty, or raise its error."""
        value = self.stored_before(row)
        if value.__class__ is Failure:
            value.raise_again()
        return value

    def stored_before(self, row):
        """Return the value or the failure that a cell had before it became dirty."""
        if row not in self.old:
            wanted = sorted(self.todo)
            for asked, stored in self.engine.ask_cells(self, wanted if len(wanted) <= SINGLE_ROWS else None):
                if asked in self.todo:
                    self.old.setdefault(asked, self.decode(stored))
        return self.old.setdefault(row, self.default)

    def leave(self, row):
        """Keep the cell of a row as it was before it became dirty."""
        value = self.stored_before(row)
        self.todo.discard(row)
        (self.errors if value.__class__ is Failure else self.cells)[row] = value

    def fetch_many(self, rows):
        """Return the values of several rows."""
        cells = self.cells
        try:
            return [cells[row] for row in rows]
        except KeyError:
            absent = [row for row in rows if row > 0 and row not in cells and row not in self.errors and row not in self.missing and not self.is_open(row)]
            if absent and self.stopped is None:
                self.load(absent)
            return [cells[row] if row in cells else self.fetch(row) for row in rows]

    def load(self, rows):
        """Ask the parent for cells: of the rows, of the batch, or of the whole column."""
        engine = self.engine
        batch = engine.batches.get(self.table.table_id)
        if batch is not None and not self.whole and any(row in batch for row in rows):
            rows = batch.union(rows)
        else:
            self.asks += 1
            self.asked_rows += len(rows)
        if engine.is_small_batch and self.asks <= SINGLE_ASKS and self.asked_rows <= SINGLE_ROWS or self.whole and self.asks <= SINGLE_ASKS:
            cells, errors = self.cells, self.errors
            absent = sorted(row for row in rows if row not in cells and row not in errors and not self.is_open(row))
            found = set()
            for row, stored in engine.ask_cells(self, absent):
                found.add(row)
                self.keep(row, stored)
            self.missing.update(row for row in absent if row not in found)
            self.table.note_rows(found)
        else:
            self.load_whole()

    def load_whole(self):
        """Read the whole column."""
        if self.whole and self.asks <= SINGLE_ASKS:
            return
        self.asks = self.asked_rows = 0
        self.missing.clear()
        rows = []
        # Results of a formula that the parent does not have yet win over what it sends.
        is_own = self.is_formula and bool(self.cells or self.errors or self.todo or self.pending_after is not None) or self.firing.is_running
        for found, stored in self.engine.ask_column(self):
            rows += found
            values = None if is_own else decode_plain(self.base, stored)
            if values is not None:
                self.cells.update(zip(found, values, strict=True))
            else:
                self._keep_all(found, stored, is_own)
        self.whole = True
        self.table.take_rows(rows)

    def _keep_all(self, rows, stored, is_own):
        for row, form in zip(rows, stored, strict=True):
            if not is_own or row not in self.cells and row not in self.errors and not self.is_open(row):
                self.keep(row, form)

    def mark_dirty(self, rows):
        """Make cells dirty: they are computed again before anybody reads them."""
        self.firing.begin()
        self.todo.update(rows)
        for held in (self.cells, self.errors):
            for row in [] if held.keys().isdisjoint(rows) else held.keys() & set(rows):
                self.old[row] = held.pop(row)
        self.version += 1

    def end_exchange(self):
        """Forget what holds for one exchange only, also the pending cells that were computed on the way."""
        for row in self.passing:
            self.forget(row)
        self.passing = []
        self.todo.clear()
        self.wanted.clear()
        self.busy.clear()
        self.old.clear()
        self.firing.end()

    def rich(self, value, route):
        """Return a cell's value as formulas see it: references become records that know how they were reached."""
        if value.__class__ is Coded:
            return self.engine.decode_any(value.code, route.formula.anywhere)
        if self.target_id is not None:
            target = self.engine.tables.get(self.target_id)
            if target is None:
                return value
            if value.__class__ is int:
                return target.record_class(value, route.step(self))
            if value.__class__ is tuple:
                return target.record_set(value, route.step(self))
        return value

    def key_of(self, value):
        """Return the stored form of a value as the key of a lookup; one for all blanks of a type."""
        if self.target_id is not None and value.__class__ in (int, tuple):
            return self._reference_key(value)
        if value.__class__ is Coded:
            return TAG + dumps(value.code)
        if self.base == "ChoiceList" and value.__class__ is tuple:
            return dumps(value) if value else None
        key = self.encode(value)
        return 0 if key is None and self.base == "Bool" else key

    def _reference_key(self, value):
        if value.__class__ is tuple:
            return dumps(value) if value else None
        if self.base == "Ref":
            return value
        return dumps([value]) if value else None

    def plain(self, value):
        """Return a cell's value as orders compare it."""
        return self.engine.decode_any(value.code, self.engine.blind.anywhere) if value.__class__ is Coded else value

    def getter(self):
        """Return the property of a record class that reads this column."""
        cells, ref, fetch = self.cells, self.ref, self.fetch
        rich = self.rich

        def read_plain(record):
            route = record._route
            if ref not in route.reads:
                route.note(self)
            try:
                return cells[record._row]
            except KeyError:
                return fetch(record._row)

        def read_any(record):
            value = read_plain(record)
            return rich(value, record._route) if value.__class__ is Coded else value

        def read_reference(record):
            return rich(read_plain(record), record._route)
        return property(read_reference if self.target_id is not None else read_any if self.base == "Any" else read_plain)
