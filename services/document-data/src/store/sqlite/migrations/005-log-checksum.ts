/** The CRC-32 of each log entry; null for entries of older releases. */
export const sql = `
ALTER TABLE _sheaf_log ADD COLUMN checksum INTEGER;
`
