"""The names that formulas see."""

import builtins
import datetime
import math
import re
import types

from sheaf.lookups import CONTAINS
from sheaf.neighbours import Neighbours
from sheaf.records import Record, RecordSet


class Namespace:
    """Built-in names, the function library, the functions that need the engine, and the tables."""

    def __init__(self, engine):
        self._engine = engine
        self.names = {}

    def rebuild(self):
        """Make the names new, in the same dictionary, which compiled formulas hold."""
        engine = self._engine
        public = dict(_library())
        neighbours = Neighbours(engine)
        public.update(PREVIOUS=neighbours.previous, NEXT=neighbours.next, RANK=neighbours.rank,
                      PEEK=self._peek, RECORD=self._record, CONTAINS=CONTAINS)
        grist = types.ModuleType("grist")
        vars(grist).update(public, Record=Record, RecordSet=RecordSet)
        self.names.clear()
        self.names.update(vars(builtins))
        self.names.update(public, datetime=datetime, math=math, re=re, grist=grist)
        self.names.update((table_id, table.face) for table_id, table in engine.tables.items())

    @staticmethod
    def plain_functions():
        """Return the names of the functions that compute from their arguments alone."""
        return _library().keys()

    def _peek(self, value):
        """Return the value of an expression without a dependency on what it reads."""
        if not callable(value):
            return value
        engine = self._engine
        before = engine.peeking
        engine.peeking = True
        try:
            return value()
        finally:
            engine.peeking = before

    def _record(self, record_or_list, dates_as_iso=False, expand_refs=0):
        """Return a dictionary of a record's columns, or a list of them; errors go to the key `_error_`."""
        if isinstance(record_or_list, Record):
            return self._as_dict(record_or_list, dates_as_iso, expand_refs)
        try:
            records = list(record_or_list)
        except TypeError:
            records = [None]
        if all(isinstance(record, Record) for record in records):
            return [self._as_dict(record, dates_as_iso, expand_refs) for record in records]
        raise ValueError("RECORD needs a record or a list of records")

    def _as_dict(self, record, dates_as_iso, expand_refs):
        found, errors = {"id": record.id}, {}
        table = type(record)._table
        for name in table.column_names():
            try:
                found[name] = self._plain(getattr(record, name), dates_as_iso, expand_refs)
            except Exception as error:  # the value of one column must not spoil the others
                found[name] = None
                errors[name] = getattr(error, "name", None) or type(error).__name__
        if errors:
            found["_error_"] = errors
        return found

    def _plain(self, value, dates_as_iso, expand_refs):
        if isinstance(value, datetime.date) and dates_as_iso:
            return value.isoformat()
        if expand_refs and isinstance(value, Record):
            return self._as_dict(value, dates_as_iso, expand_refs - 1) if value else None
        if expand_refs and isinstance(value, RecordSet):
            return [self._as_dict(record, dates_as_iso, expand_refs - 1) for record in value] or None
        return value


def _library():
    """Return the public names of the function library."""
    from sheaf import functions  # at the first schema, so that the engine is tested without it
    public = getattr(functions, "__all__", None) or [name for name in vars(functions) if name[:1].isupper()]
    return {name: getattr(functions, name) for name in public}


