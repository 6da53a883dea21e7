"""One exchange: changes and dirty cells come in, results and what was learned go out."""

import bisect

from sheaf.checks import check_formula
from sheaf.lookups import key_text
from sheaf.row_lists import form_of
from sheaf.user import User

SMALL_BATCH = 1000
"""Dirty rows up to which single cells are asked for instead of whole columns."""

RESULT_CELLS = 5_000
RESULT_CHARACTERS = 2 << 20
"""Results that are collected before they are sent."""


class Tally:
    """What was computed of a column in one exchange."""

    def __init__(self):
        self.rows = []
        self.errors = 0
        self.seconds = 0.0
        self.is_volatile = False
        self.result_rows = []
        self.result_values = []
        self.size = 0

    def add(self, row, stored):
        """Add a result to be sent; tell whether the results should be sent now."""
        self.result_rows.append(row)
        self.result_values.append(stored)
        if stored.__class__ is str:
            self.size += len(stored)
        return self.size >= RESULT_CHARACTERS or len(self.result_rows) >= RESULT_CELLS

    def add_many(self, rows, stored, length):
        """Add results with texts of this length in all; tell whether the results should be sent now."""
        self.result_rows.extend(rows)
        self.result_values.extend(stored)
        self.size += length
        return self.size >= RESULT_CHARACTERS or len(self.result_rows) >= RESULT_CELLS

    def take(self):
        """Return the rows and values of the results, and forget them."""
        rows, values = self.result_rows, self.result_values
        self.result_rows, self.result_values, self.size = [], [], 0
        return rows, values


class Exchange:
    """The part of the engine that speaks with the parent about cells that changed."""

    def compute(self, message):
        """Take changes, compute the dirty cells, send results and what was learned."""
        self.touched = {}
        self.announced = None
        try:
            self._take(message)
            self.user = User(message.get("user") or {})
            dirty = self._take_dirty(message.get("dirty", ()))
            if dirty and dirty[0].ref == message.get("announced"):
                self.charge(dirty[0])
            if "check" in message:
                self.checked = self.columns[message["check"]]
                self.link.send(check_formula(self, self.checked))
            for column in dirty:
                self.finish(column)
            self.announce(None)
            for column in list(self.touched):
                self.flush(column)
            self.link.send(self._learned())
        finally:
            for column in {*self.touched, *self.columns.values()}:
                if column.passing or column.todo or column.wanted or column.busy or column.old or column.firing.is_used():
                    self.mark_stale(column.table, column.passing, column)
                    column.end_exchange()
            for column in self.touched:
                column.reads.keys = {}
            self.postponed = None
            self.batches = {}
            if self.checked is not None:
                self._forget_checked()

    def _forget_checked(self):
        """Forget the cells of a formula that was checked: the stored ones, if there are any, are others."""
        self.checked.forget_all()
        self.lookup_maps = {name: found for name, found in self.lookup_maps.items() if self.checked not in found.columns}
        self.checked = None
        self.lines = {}

    def _take(self, message):
        for table_id in message.get("drop", ()):
            if table_id in self.tables:
                self.tables[table_id].forget()
                self.lookup_maps = {name: found for name, found in self.lookup_maps.items() if name[0] != table_id}
        updated = {}
        for update in message.get("updates", ()):
            if update["tableId"] in self.tables:
                self._update(self.tables[update["tableId"]], update)
                updated[update["tableId"]] = update.get("rows", ())
        before = {column: column.pending_after for column in self.pending}
        for column in self.pending:
            column.pending_after = column.stopped = None
        self.pending = []
        for entry in message.get("pending", ()):
            column = self.columns.get(entry["ref"])
            if column is not None:
                column.pending_after = after = entry["after"]
                self.pending.append(column)
                # Of a column whose computation goes on, only cells that the parent has just sent can lie ahead.
                goes_on = before.get(column) is not None and before[column] <= after
                held = (updated.get(column.table.table_id, ()),) if goes_on else (column.cells, column.errors)
                ahead = [row for rows in held for row in rows if row > after]
                for row in ahead:
                    column.forget(row)
                self.mark_stale(column.table, ahead, column)
        for entry in message.get("stopped", ()):
            column = self.columns.get(entry["ref"])
            if column is not None:
                column.stopped = str(entry.get("reason", ""))
                self.pending.append(column)

    def _update(self, table, update):
        rows, gone = update.get("rows", []), update.get("gone", [])
        sent = {entry["ref"]: entry["values"] for entry in update.get("columns", ())}
        table.update_rows(rows, gone)
        for column in table.columns.values():
            values = sent.get(column.ref)
            if values is None:
                if not column.is_held():
                    continue
                column.whole = False
                for row in rows:
                    column.forget(row)
            else:
                column.version += 1
                for row, stored in zip(rows, values, strict=True):
                    column.missing.discard(row)
                    column.keep(row, stored)
            for row in gone:
                column.forget(row)
        self.mark_stale(table, (*rows, *gone))

    def _take_dirty(self, entries):
        """Mark cells dirty and return their columns."""
        columns, by_table = [], {}
        for entry in entries:
            column = self.columns.get(entry["ref"])
            if column is None or column.stopped is not None or not (column.is_formula or column.firing.is_trigger):
                continue
            table = column.table
            if "rows" in entry:
                rows = table.existing(entry["rows"])
            else:
                present = table.row_list()
                rows = present[bisect.bisect_left(present, entry["from"]):bisect.bisect_right(present, entry["to"])]
            column.mark_dirty(rows)
            column.firing.conditional = set(entry.get("conditional", ()))
            if column.firing.conditional:
                column.firing.watch()
            self.mark_stale(table, rows, column)
            by_table.setdefault(table.table_id, set()).update(rows)
            if column not in columns:
                columns.append(column)
                self.touched[column] = Tally()
        self.is_small_batch = sum(map(len, by_table.values())) <= SMALL_BATCH
        self.batches = by_table if self.is_small_batch else {}
        return columns

    def _learned(self):
        """Return the end of the exchange: relations, keys, times."""
        relations, lookups = [], []
        for column, tally in self.touched.items():
            if not tally.rows or not column.is_formula:
                continue
            reads = column.reads
            relations.append({"column": column.ref, "reads": reads.relations(self.columns, self.tables)})
            rows = sorted(set(tally.rows)) if reads.lookups else ()
            for lookup in reads.lookups:
                if all(ref in self.columns for ref in lookup.refs):
                    keys = reads.keys.get(lookup, {})
                    # Many rows look up the same keys.
                    places = {key: place for place, key in enumerate(set().union(*keys.values()))}
                    lookups.append({"column": column.ref, "lookup": lookup.as_json(), "rows": form_of(rows), "texts": list(map(key_text, places)),
                                    "keys": [[places[key] for key in keys.get(row, ())] for row in rows]})
        timings = [{"column": column.ref, "cells": len(tally.rows), "errors": tally.errors, "micros": round(tally.seconds * 1e6)}
                   for column, tally in self.touched.items() if tally.rows]
        volatile = [column.ref for column, tally in self.touched.items() if tally.is_volatile and column.is_formula]
        done = {"type": "done", "relations": relations, "lookups": lookups, "timings": timings, "volatile": volatile}
        return done if self.checked is None else {**done, "lines": sorted(self.lines.items())}
