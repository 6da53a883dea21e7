/**
 * Views group rows and summarize columns: `groupBy` is a JSON list of sort keys, `summaries` a JSON object with the name of a
 * function for each column. Like the other texts of a view, they name
 * columns by their refs, and empty text stands for none.
 */
export const sql = `
ALTER TABLE _sheaf_views ADD COLUMN groupBy TEXT NOT NULL DEFAULT '';
ALTER TABLE _sheaf_views ADD COLUMN summaries TEXT NOT NULL DEFAULT '';
`
