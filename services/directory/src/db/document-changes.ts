import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

/** When a user changed the contents of a document. */
interface DocumentChange {
  readonly docId: string
  /** Epoch milliseconds. */
  readonly timeMs: number
  /** 0 for the system. */
  readonly userId: number
}

/** Stores these changes as the last ones of their documents, unless later ones are stored. */
export async function storeChanges(
  db: Kysely<DirectorySchema>,
  changes: readonly DocumentChange[],
): Promise<void> {
  const docIds = changes.map(({ docId }) => docId)
  const times = changes.map(({ timeMs }) => timeMs)
  const userIds = changes.map(({ userId }) => userId)
  await sql`
    with changes as (
      select doc_id, max(to_timestamp(time_ms / 1000.0)) as at,
        (array_agg(user_id order by time_ms desc))[1] as user_id
      from unnest(${docIds}::uuid[], ${times}::bigint[], ${userIds}::integer[]) c (doc_id, time_ms, user_id)
      group by doc_id
    ), locked as (
      select d.id, c.at, c.user_id from documents d join changes c on c.doc_id = d.doc_id
      where d.updated_at < c.at order by d.id for no key update of d
    )
    update documents d set updated_at = l.at, updated_by = nullif(l.user_id, 0)
    from locked l where d.id = l.id and d.updated_at < l.at`.execute(db)
}
