import { requireRow, type Connection } from '../sqlite/connections'

/** Kinds of refs, and the columns that hold them. */
const tables = {
  table: '_grist_Tables',
  column: '_grist_Tables_column',
  attachment: '_grist_Attachments',
  view: '_sheaf_views',
} as const

type Kind = keyof typeof tables

/**
 * The next ref of a table or column, or row id of an attachment or view. A ref is never reused: what holds it must
 * stay valid.
 */
export function nextRef(connection: Connection, kind: Kind): number {
  const sql = `
    SELECT max(coalesce((SELECT max(id) FROM ${tables[kind]}), 0),
               coalesce((SELECT highest FROM _sheaf_refs WHERE kind = ?), 0)) + 1`
  return requireRow(connection.pluck<number>(sql).get(kind))
}

/** Must precede the removal of what has this ref. */
export function retireRef(connection: Connection, kind: Kind, ref: number): void {
  connection
    .prepare(
      `INSERT INTO _sheaf_refs VALUES (?, ?)
       ON CONFLICT (kind) DO UPDATE SET highest = max(highest, excluded.highest)`,
    )
    .run(kind, ref)
}
