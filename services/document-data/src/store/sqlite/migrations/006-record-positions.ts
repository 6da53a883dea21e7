/**
 * Positions of records in the log. A record is what one write adds: an entry, a reply, or both. Entries of older
 * releases have none: theirs is their seq. In `_sheaf_state` it is the position of the latest record that has
 * neither, such as a migration.
 */
export const sql = `
ALTER TABLE _sheaf_log ADD COLUMN lsn INTEGER;
ALTER TABLE _sheaf_replies ADD COLUMN lsn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _sheaf_state ADD COLUMN lsn INTEGER NOT NULL DEFAULT 0;
`
