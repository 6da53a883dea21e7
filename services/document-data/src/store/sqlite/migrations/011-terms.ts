/**
 * Term of the opening that stored the latest record, where the log is kept outside of the file too; 0 for none. Two
 * records with one position are the same one if their terms are equal.
 */
export const sql = `
ALTER TABLE _sheaf_state ADD COLUMN term INTEGER NOT NULL DEFAULT 0;
`
