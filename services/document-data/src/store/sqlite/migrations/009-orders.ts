/** Orders of tables that are kept: `keys` are the sort keys as JSON, `terms` their SQL. */
export const sql = `
CREATE TABLE _sheaf_orders (
  name TEXT PRIMARY KEY,
  keys TEXT NOT NULL,
  terms TEXT NOT NULL,
  version TEXT NOT NULL,
  filled INTEGER NOT NULL
) WITHOUT ROWID;
`
