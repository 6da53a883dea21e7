/**
 * Views of tables. `filter` and `columns` are JSON objects and lists, `sort` a JSON list of sort keys; empty text stands for
 * none. All three name columns by their refs, so that they follow renames: `c12` is the column with ref 12.
 */
export const sql = `
CREATE TABLE _sheaf_views (
  id INTEGER PRIMARY KEY,
  tableRef INTEGER NOT NULL,
  position REAL NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  description TEXT NOT NULL,
  filter TEXT NOT NULL,
  sort TEXT NOT NULL,
  columns TEXT NOT NULL,
  frozenColumns INTEGER NOT NULL,
  rowHeight TEXT NOT NULL,
  wrapText INTEGER NOT NULL
);
CREATE INDEX _sheaf_views_by_table ON _sheaf_views (tableRef, position, id);
`
