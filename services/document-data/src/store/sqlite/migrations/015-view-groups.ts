/**
 * Views group rows, summarize columns, and are forms: `groupBy` is a JSON list of sort keys, `summaries` a JSON object with the
 * name of a function for each column, `form` a JSON object with texts and fields. Like the other texts of a view, they name
 * columns by their refs, and empty text stands for none.
 */
export const sql = `
ALTER TABLE _sheaf_views ADD COLUMN groupBy TEXT NOT NULL DEFAULT '';
ALTER TABLE _sheaf_views ADD COLUMN summaries TEXT NOT NULL DEFAULT '';
ALTER TABLE _sheaf_views ADD COLUMN form TEXT NOT NULL DEFAULT '';
`
