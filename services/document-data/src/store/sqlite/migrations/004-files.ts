/**
 * Contents of attachments; before this migration, both tables were always empty. A hash is SHA-256 in
 * hexadecimal. `pending` is the name of the upload that has yet to complete the file, and empty for a file
 * that is being removed; only complete files, where it is null, are found by their hash.
 */
export const sql = `
DROP TABLE _sheaf_file_chunks;
DROP TABLE _sheaf_files;
CREATE TABLE _sheaf_files (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  pending TEXT
);
CREATE UNIQUE INDEX _sheaf_files_by_hash ON _sheaf_files (hash) WHERE pending IS NULL;
CREATE INDEX _sheaf_files_pending ON _sheaf_files (pending) WHERE pending IS NOT NULL;
CREATE TABLE _sheaf_file_chunks (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (file_id, position)
);
-- Which file the attachment with this row id has.
CREATE TABLE _sheaf_attachments (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL
);
CREATE INDEX _sheaf_attachments_by_file ON _sheaf_attachments (file_id);
`
