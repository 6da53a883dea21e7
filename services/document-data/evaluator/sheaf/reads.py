"""What a formula has read: the relations that tell which changes make its cells dirty."""

LONGEST_PATH = 6
"""References followed in a row before only "any" is recorded: a formula may walk along references in a loop."""


class Route:
    """How a formula came to a record: from where, and over which references. Records carry it, so that a read is noted once."""

    __slots__ = ("children", "path", "reads", "start", "formula")

    def __init__(self, formula, start, path):
        self.formula = formula
        self.start = start
        self.path = path
        self.reads = set()
        self.children = {}

    def note(self, column):
        """Record that a column was read; `reads` has it from then on, and reading it again costs nothing."""
        if not column.engine.peeking:
            self.reads.add(column.ref)

    def step(self, column):
        """Return the route over a reference in a column."""
        found = self.children.get(column.ref)
        if found is None:
            if self.start == "any" or len(self.path) >= LONGEST_PATH:
                found = self.formula.anywhere
            else:
                found = Route(self.formula, self.start, (*self.path, column.ref))
            self.children[column.ref] = found
        return found

    def is_certain(self):
        """Tell whether records that come this way exist for sure."""
        return not self.path and self.start != "any"

    def collect(self, known, found):
        """Append the relations of this route and of those that go on from it."""
        origin = self.start.as_json() if isinstance(self.start, LookupKeys) else self.start
        if all(ref in known for ref in self.path) and not (isinstance(self.start, LookupKeys) and any(ref not in known for ref in self.start.refs)):
            for ref in sorted(self.reads):
                if ref in known:
                    if origin == "any":
                        found.append({"from": "any", "column": ref})
                    else:
                        found.append({"from": origin, "path": list(self.path), "column": ref})
        for child in self.children.values():
            if child is not self.formula.anywhere:
                child.collect(known, found)


class LookupKeys:
    """The table and key columns of a lookup; equal ones are one object of the engine."""

    __slots__ = ("contains", "refs", "table_id")

    def __init__(self, table_id, refs, contains):
        self.table_id = table_id
        self.refs = refs
        self.contains = contains

    def as_json(self):
        """Return the LOOKUP of the protocol."""
        return {"table": self.table_id, "keys": list(self.refs), "contains": list(self.contains)}


class FormulaReads:
    """All reads of one formula, and the keys that each of its rows looked up in this exchange."""

    def __init__(self):
        self.own = Route(self, "row", ())
        self.anywhere = Route(self, "any", ())
        self.lookups = {}
        self.tables = set()
        self.keys = {}

    def route_of(self, lookup):
        """Return the route of the records that a lookup finds."""
        route = self.lookups.get(lookup)
        if route is None:
            route = self.lookups[lookup] = Route(self, lookup, ())
        return route

    def note_key(self, lookup, row, key):
        """Record that a row looked up a key."""
        rows = self.keys.get(lookup)
        if rows is None:
            rows = self.keys[lookup] = {}
        keys = rows.get(row)
        if keys is None:
            rows[row] = {key}
        else:
            keys.add(key)

    def relations(self, known, tables):
        """Return the READs of the protocol; `known` are the columns and `tables` the tables that still exist."""
        found = []
        self.own.collect(known, found)
        self.anywhere.collect(known, found)
        for lookup, route in self.lookups.items():
            if all(ref in known for ref in lookup.refs):
                found.append({"from": lookup.as_json(), "path": []})
                route.collect(known, found)
        found.extend({"from": "any", "table": table} for table in sorted(self.tables) if table in tables)
        return found
