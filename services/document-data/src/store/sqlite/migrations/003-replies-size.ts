/**
 * Of a kept reply: the bytes of it and all before it, so that what all of them take is known from the first
 * and the last.
 */
export const sql = `
ALTER TABLE _sheaf_replies ADD COLUMN total INTEGER NOT NULL DEFAULT 0;
`
