/**
 * The running sum of reply sizes up to and including each reply: the total follows from the first and the
 * last one.
 */
export const sql = `
ALTER TABLE _sheaf_replies ADD COLUMN total INTEGER NOT NULL DEFAULT 0;
`
