/** What a document was copied or restored from: a JSON list of `Origin`, from the latest to the oldest. */
export const sql = `
ALTER TABLE _sheaf_state ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';
`
