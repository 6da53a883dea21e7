"""PREVIOUS, NEXT and RANK: where a record stands among others."""

import bisect

from sheaf.ordering import order_keys, parse_order
from sheaf.records import Record

_MISSING = object()


class Neighbours:
    """The functions that find records before and after a record."""

    def __init__(self, engine):
        self._engine = engine

    def previous(self, rec, *, group_by=(), order_by=_MISSING):
        """Return the record before the given one, among those with the same group and in an order."""
        return self._beside(rec, group_by, order_by, -1)

    def next(self, rec, *, group_by=(), order_by=_MISSING):
        """Return the record after the given one, among those with the same group and in an order."""
        return self._beside(rec, group_by, order_by, 1)

    def rank(self, rec, *, group_by=(), order_by=_MISSING, order="asc"):
        """Return the place of the record in an order, from 1."""
        if order not in ("asc", "desc"):
            raise ValueError('order must be "asc" or "desc"')
        rows, places, _, _ = self._line(rec, group_by, order_by)
        place = places.get(rec._row, len(rows))
        return place + 1 if order == "asc" else len(rows) - place

    def _beside(self, rec, group_by, order_by, step):
        rows, places, specs, route = self._line(rec, group_by, order_by)
        table = type(rec)._table
        place = places.get(rec._row)
        if place is None:
            # A record that is not there, such as the empty one, stands where its values would be.
            place = bisect.bisect_left(order_keys(table, rows, specs), order_keys(table, (rec._row,), specs)[0]) - (step > 0)
        place += step
        return table.record_class(rows[place] if 0 <= place < len(rows) else 0, route)

    def _line(self, rec, group_by, order_by):
        """Return the sorted rows, the place of each, the order, and how the rows are reached."""
        if not isinstance(rec, Record):
            raise TypeError("the first argument must be a record")
        if order_by is _MISSING:
            raise TypeError("order_by is required; None means the order of the table")
        table = type(rec)._table
        engine = self._engine
        if order_by is None and "manualSort" in table.columns:
            order_by = "manualSort"
        specs = parse_order(table, order_by, allow_id=False) or ((table.row_ids, False),)
        groups = () if not group_by else (group_by,) if isinstance(group_by, str) else tuple(group_by)
        if not groups:
            route = engine.reads.anywhere
            engine.note_rows_of(table)
            self._note_order(route, specs)
            rows, places = table.ordered(specs)
            return rows, places, specs, route
        columns = tuple(sorted((table.column(name) for name in groups), key=lambda column: column.col_id))
        found = engine.lookup_map(table, columns, (False,) * len(columns))
        key = tuple(column.key_of(_cell(rec, column)) for column in columns)
        route = engine.reads.anywhere if engine.peeking else engine.reads.route_of(found.keys)
        if not engine.peeking:
            engine.reads.note_key(found.keys, engine.row, key)
        self._note_order(route, specs)
        rows, places = found.places(key, specs)
        return rows, places, specs, route

    @staticmethod
    def _note_order(route, specs):
        for column, _ in specs:
            if column.ref is not None and column.ref not in route.reads:
                route.note(column)


def _cell(rec, column):
    """Return the value of a group column as the column holds it."""
    value = getattr(rec, column.col_id)
    kind = getattr(type(value), "sheaf_kind", None)
    if kind == "record":
        return value._row
    return tuple(value._rows) if kind == "records" else value
