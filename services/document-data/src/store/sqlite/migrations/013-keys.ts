/** The API keys that wrote entries of the log; 0 for none. The index finds the entries of a key without reading the log. */
export const sql = `
ALTER TABLE _sheaf_log ADD COLUMN key_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX _sheaf_log_keys ON _sheaf_log (key_id) WHERE key_id > 0;
`
