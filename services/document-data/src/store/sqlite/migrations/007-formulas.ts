/**
 * What is known of the formula column with this ref. A formula column without a row has never been computed: all its
 * cells are pending. `pending_after`: cells of rows with a greater id are pending; null when none is. `stopped`: the
 * limit that the formula exceeded, `time` or `memory`; null while it runs. `relations`: JSON, see
 * formulas/relations.ts. The keys that the cells of a column look up are in `_sheaf_lookup_uses`; `lookup` is the
 * position of the lookup in the relations.
 */
export const sql = `
CREATE TABLE _sheaf_formulas (
  column_ref INTEGER PRIMARY KEY,
  pending_after INTEGER,
  stopped TEXT,
  volatile INTEGER NOT NULL DEFAULT 0,
  refreshed_at INTEGER NOT NULL DEFAULT 0,
  relations TEXT NOT NULL DEFAULT '{"lookups":[],"reads":[]}'
);
CREATE TABLE _sheaf_lookup_uses (
  column_ref INTEGER NOT NULL,
  lookup INTEGER NOT NULL,
  key TEXT NOT NULL,
  row INTEGER NOT NULL,
  PRIMARY KEY (column_ref, lookup, key, row)
) WITHOUT ROWID;
CREATE INDEX _sheaf_lookup_uses_by_row ON _sheaf_lookup_uses (column_ref, row);
`
