"""A parent for tests: tables in memory, and the exchange of the protocol without processes."""

import importlib.util
import json
import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
for _name in ("sheaf.clock", "sheaf.functions"):
    if importlib.util.find_spec(_name) is None:
        # The engine is tested also without the function library.
        _module = sys.modules[_name] = types.ModuleType(_name)
        setattr(sys.modules["sheaf"], _name.rpartition(".")[2], _module)

from sheaf.engine import Engine  # noqa: E402
from sheaf.row_lists import form_of, ids_of  # noqa: E402
from sheaf.server import Link  # noqa: E402


class Parent:
    """Holds tables and answers the reads of an engine. A table is {column: (type, formula or None, {row: stored})}."""

    def __init__(self, **tables):
        self.tables = tables
        self.refs = {}
        for table_id, columns in tables.items():
            for name in columns:
                self.refs[table_id, name] = len(self.refs) + 1
        self.names = {ref: name for name, ref in self.refs.items()}
        self.queue = []
        self.reads = []
        self.computing = []
        self.results = {}
        self.done = None
        self.engine = Engine(Link(self._read, self._write))
        self.send_schema()

    def send_schema(self):
        """Send the schema."""
        self.engine.define({"type": "schema", "timezone": "UTC", "tables": [
            {"tableId": table_id, "columns": [
                {"ref": self.refs[table_id, name], "colId": name, "type": kind, **({} if formula is None else {"formula": formula})}
                for name, (kind, formula, _) in columns.items()]}
            for table_id, columns in self.tables.items()]})

    def _read(self):
        return self.queue.pop(0)

    def _write(self, *frames):
        for frame in frames:
            self._take(json.loads(frame))

    def _take(self, message):
        if message["type"] == "read":
            self.reads.append(message)
            self.queue.append(json.dumps(self._answer(message)).encode())
        elif message["type"] == "computing":
            self.computing.append(self.names[message["column"]][1])
        elif message["type"] == "result":
            table_id, name = self.names[message["column"]]
            for row, stored in zip(ids_of(message["rows"]), message["values"], strict=True):
                assert (table_id, name, row) not in self.results, "each cell is sent once"
                self.results[table_id, name, row] = stored
                self.cells(table_id, name)[row] = stored
        else:
            self.done = message

    def _answer(self, message):
        if "table" in message:
            return {"type": "cells", "rows": form_of(self.rows(message["table"])), "last": True}
        table_id, name = self.names[message["column"]]
        rows = [row for row in self.rows(table_id) if "rows" not in message or row in message["rows"]]
        return {"type": "cells", "rows": form_of(rows), "values": [self.cells(table_id, name).get(row) for row in rows], "last": True}

    def cells(self, table_id, name):
        """Return the cells of a column by row."""
        return self.tables[table_id][name][2]

    def rows(self, table_id):
        """Return the row ids of a table: those of its first column."""
        return sorted(next(iter(self.tables[table_id].values()))[2])

    def compute(self, *dirty, **message):
        """Compute cells: each of `dirty` is (table, column, rows), or (table, column) for all. Return the results."""
        self.reads, self.computing, self.results = [], [], {}
        entries = [{"ref": self.refs[entry[:2]], **({"rows": entry[2]} if len(entry) > 2 else {"from": 1, "to": 1 << 40})} for entry in dirty]
        self.engine.compute({"type": "compute", "dirty": entries, **message})
        return self.results

    def change(self, table_id, name, row, stored):
        """Change a cell and return the update for the engine."""
        self.cells(table_id, name)[row] = stored
        columns = [name for name in self.tables[table_id] if self.engine.columns[self.refs[table_id, name]].is_held()]
        return {"tableId": table_id, "rows": [row], "gone": [], "columns": [
            {"ref": self.refs[table_id, held], "values": [self.cells(table_id, held).get(row)]} for held in columns]}

    def relations(self, table_id, name):
        """Return the reads of a formula, with the names of columns in place of their numbers."""
        def named(value):
            if isinstance(value, dict):
                return {key: self.names[item][1] if key == "column" else [self.names[ref][1] for ref in item] if key in ("path", "keys") else named(item)
                        for key, item in value.items()}
            return value
        return [named(read) for entry in self.done["relations"] if entry["column"] == self.refs[table_id, name] for read in entry["reads"]]

    def keys(self, table_id, name):
        """Return the keys that each row of a formula looked up."""
        return {row: sorted(entry["texts"][place] for place in keys) for entry in self.done["lookups"] if entry["column"] == self.refs[table_id, name]
                for row, keys in zip(ids_of(entry["rows"]), entry["keys"], strict=True)}
