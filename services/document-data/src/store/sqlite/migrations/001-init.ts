/**
 * The initial schema of a document file. `_grist_` tables carry the field names of the REST API, so that
 * reading them as tables needs no translation; `_sheaf_` tables are never exposed.
 */
export const sql = `
CREATE TABLE _grist_DocInfo (
  id INTEGER PRIMARY KEY,
  docId TEXT NOT NULL DEFAULT '',
  peers TEXT NOT NULL DEFAULT '',
  basketId TEXT NOT NULL DEFAULT '',
  schemaVersion INTEGER NOT NULL DEFAULT 46,
  timezone TEXT NOT NULL DEFAULT 'UTC',
  documentSettings TEXT NOT NULL DEFAULT ''
);
CREATE TABLE _grist_Tables (
  id INTEGER PRIMARY KEY,
  tableId TEXT NOT NULL COLLATE NOCASE UNIQUE,
  primaryViewId INTEGER NOT NULL DEFAULT 0,
  summarySourceTable INTEGER NOT NULL DEFAULT 0,
  onDemand INTEGER NOT NULL DEFAULT 0,
  rawViewSectionRef INTEGER NOT NULL DEFAULT 0,
  recordCardViewSectionRef INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE _grist_Tables_column (
  id INTEGER PRIMARY KEY,
  parentId INTEGER NOT NULL,
  parentPos REAL NOT NULL,
  colId TEXT NOT NULL COLLATE NOCASE,
  type TEXT NOT NULL,
  widgetOptions TEXT NOT NULL DEFAULT '',
  isFormula INTEGER NOT NULL DEFAULT 0,
  formula TEXT NOT NULL DEFAULT '',
  label TEXT NOT NULL DEFAULT '',
  description TEXT NOT NULL DEFAULT '',
  untieColIdFromLabel INTEGER NOT NULL DEFAULT 0,
  summarySourceCol INTEGER NOT NULL DEFAULT 0,
  displayCol INTEGER NOT NULL DEFAULT 0,
  visibleCol INTEGER NOT NULL DEFAULT 0,
  rules TEXT,
  reverseCol INTEGER NOT NULL DEFAULT 0,
  recalcWhen INTEGER NOT NULL DEFAULT 0,
  recalcDeps TEXT,
  UNIQUE (parentId, colId)
);
CREATE TABLE _grist_Attachments (
  id INTEGER PRIMARY KEY,
  fileIdent TEXT NOT NULL DEFAULT '',
  fileName TEXT NOT NULL DEFAULT '',
  fileType TEXT NOT NULL DEFAULT '',
  fileSize INTEGER NOT NULL DEFAULT 0,
  fileExt TEXT NOT NULL DEFAULT '',
  imageHeight INTEGER NOT NULL DEFAULT 0,
  imageWidth INTEGER NOT NULL DEFAULT 0,
  timeDeleted REAL,
  timeUploaded REAL
);
-- One row. The batch is the run of log entries from published_seq + 1 to batch_seq that is being published: it is fixed
-- before its first publication, so that a repetition sends the same bytes under the same message id.
CREATE TABLE _sheaf_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT NOT NULL,
  published_seq INTEGER NOT NULL DEFAULT 0,
  batch_seq INTEGER NOT NULL DEFAULT 0
);
-- What is known of a table beyond its metadata: the highest manualSort, when some row was placed by hand.
CREATE TABLE _sheaf_tables (
  table_ref INTEGER PRIMARY KEY,
  manual_sort_top REAL NOT NULL
);
-- One row per committed write. cause: 1 api, 2 import, 3 formula, 4 undo. tables: JSON list of the refs concerned.
-- operations: JSON as described in log.ts.
CREATE TABLE _sheaf_log (
  seq INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  user INTEGER NOT NULL,
  cause INTEGER NOT NULL,
  traceparent TEXT NOT NULL,
  tables TEXT NOT NULL,
  operations TEXT NOT NULL
);
-- Replies to writes that carried an idempotency key, so that a repetition gets the same reply and changes nothing.
CREATE TABLE _sheaf_replies (
  user INTEGER NOT NULL,
  key TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  seq INTEGER NOT NULL,
  time INTEGER NOT NULL,
  reply BLOB NOT NULL,
  PRIMARY KEY (user, key)
);
CREATE INDEX _sheaf_replies_by_time ON _sheaf_replies (time);
-- Contents of attachments, each stored once, in chunks; pending until its last chunk is in.
CREATE TABLE _sheaf_files (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  pending INTEGER NOT NULL DEFAULT 1,
  time INTEGER NOT NULL
);
CREATE TABLE _sheaf_file_chunks (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL,
  position INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  UNIQUE (file_id, position)
);
`
