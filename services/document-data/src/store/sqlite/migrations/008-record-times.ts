/** Epoch milliseconds of the record at `lsn` of `_sheaf_state`: times of later records are not earlier. */
export const sql = `
ALTER TABLE _sheaf_state ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
`
