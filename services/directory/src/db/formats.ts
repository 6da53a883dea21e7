import { sql, type Kysely } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema>

/** An instance whose lease has ended counts for so much longer: it may be about to come back. */
const AWAY_SECONDS = 30

/** SQL: the newest format that all replicated instances can read which have a lease, or had one lately; 0 when one reports none. */
export const writeFormat = sql<number>`(
  select coalesce(min(o.format_max), 0) from homes o
  where o.lease_until > clock_timestamp() - make_interval(secs => ${sql.lit(AWAY_SECONDS)})
)`

/** SQL: instance `h` can use document `d` as it is, or may bring it to a format that it can use. */
export const canUse = sql<boolean>`(
  h.format_max >= d.format and (d.format = 0 or h.format_min <= d.format or h.format_min <= ${writeFormat})
)`

/** Formats of a document. */
export interface DocumentFormats {
  /** What it has or may get; 0 while that is not known. */
  readonly format: number
  /** Newest format that all replicated instances can read. */
  readonly writeFormat: number
}

/**
 * The formats of a document. If it is assigned to the instance `home`, that one may bring it to `writeFormat`, and no instance
 * that cannot read that gets the document from now on.
 */
export async function allowFormat(db: Db, docId: string, home: string): Promise<DocumentFormats> {
  const { rows } = await sql<DocumentFormats>`
    with allowed as (select ${writeFormat} as format), raised as (
      update documents d set format = a.format from allowed a
      where d.doc_id = ${docId} and d.home = ${home} and d.format < a.format returning d.format
    )
    select greatest(d.format, (select format from raised)) as format, a.format as "writeFormat"
    from documents d, allowed a where d.doc_id = ${docId}`.execute(db)
  return rows[0] ?? { format: 0, writeFormat: 0 }
}

/** Stores that a document has a format, which the instance that it is assigned to has found and cannot read. */
export async function raiseFormat(
  db: Db,
  docId: string,
  { home, format }: { readonly home: string; readonly format: number },
): Promise<void> {
  await db
    .updateTable('documents')
    .set({ format })
    .where('doc_id', '=', docId)
    .where('home', '=', home)
    .where('format', '<', format)
    .execute()
}

/** The first of these documents whose format an instance cannot read. */
export async function findUnreadable(
  db: Db,
  docIds: readonly string[],
  home: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ docId: string }>`
    select d.doc_id as "docId" from documents d, homes h
    where d.doc_id = any(${docIds}::uuid[]) and h.name = ${home} and not ${canUse} limit 1`.execute(
    db,
  )
  return rows[0]?.docId
}
