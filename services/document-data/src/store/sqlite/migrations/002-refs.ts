/** Highest refs that tables (`table`) and columns (`column`) had that are gone: no ref is given twice. */
export const sql = `
CREATE TABLE _sheaf_refs (
  kind TEXT PRIMARY KEY,
  highest INTEGER NOT NULL
);
`
