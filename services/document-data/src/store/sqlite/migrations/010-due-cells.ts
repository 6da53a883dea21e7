/**
 * Cells of trigger formulas that could not be computed with their write, and are computed later: each with the `seq` of
 * the write that ran the formula. `author` of a write is JSON with what the formulas learn of its user; it is not in the
 * log. Of a formula column that is pending, `pending_by` is the seq of the write after which it became so, 0 for none,
 * and `pending_fires` which trigger formulas its results run where they differ: `all`, `none`, or `others` than those
 * whose own results the column follows. Results of a column that was never computed run none.
 */
export const sql = `
CREATE TABLE _sheaf_due_cells (
  column_ref INTEGER NOT NULL,
  row INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (column_ref, row)
) WITHOUT ROWID;
CREATE INDEX _sheaf_due_cells_by_seq ON _sheaf_due_cells (seq, column_ref, row);
CREATE INDEX _sheaf_due_cells_by_column ON _sheaf_due_cells (column_ref, seq, row);
CREATE TABLE _sheaf_due_writes (seq INTEGER PRIMARY KEY, author TEXT NOT NULL);
ALTER TABLE _sheaf_formulas ADD COLUMN pending_by INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _sheaf_formulas ADD COLUMN pending_fires TEXT NOT NULL DEFAULT 'none';
`
