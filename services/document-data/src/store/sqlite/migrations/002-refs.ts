/** Highest refs of removed tables (`table`) and columns (`column`): refs are never reused. */
export const sql = `
CREATE TABLE _sheaf_refs (
  kind TEXT PRIMARY KEY,
  highest INTEGER NOT NULL
);
`
