import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DirectorySchema } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** An instance that has not reported for this long receives no new documents. */
const LIVE_SECONDS = 30

/** A document-data instance. */
export interface HomeRow {
  readonly name: string
  readonly address: string
  readonly free_bytes: number
  readonly reported_at: Date
}

/** A heartbeat of an instance. */
export interface HomeReport {
  readonly name: string
  readonly address: string
  readonly freeBytes: number
}

/** Stores the heartbeat of a known instance; false when it is new or its address has changed. */
export async function refreshHome(db: Db, report: HomeReport): Promise<boolean> {
  const { rows } = await sql`
    update homes set free_bytes = ${report.freeBytes}, reported_at = now()
    where name = ${report.name} and address = ${report.address}
    returning name`.execute(db)
  return rows.length > 0
}

/** Stores an instance that is new or has a new address. */
export async function putHome(db: Db, report: HomeReport): Promise<void> {
  await sql`
    insert into homes (name, address, free_bytes)
    values (${report.name}, ${report.address}, ${report.freeBytes})
    on conflict (name) do update
      set address = excluded.address, free_bytes = excluded.free_bytes, reported_at = now()`.execute(
    db,
  )
}

/** Returns all instances that ever reported, by name. */
export function listHomes(db: Db): Promise<HomeRow[]> {
  return db
    .selectFrom('homes')
    .select(['name', 'address', 'free_bytes', 'reported_at'])
    .orderBy('name')
    .limit(1000)
    .execute()
}

/** Returns documents of an instance with a greater id, by id: at most 1000. */
export function listHomeDocuments(
  db: Db,
  home: string,
  afterId: number,
): Promise<{ id: number; doc_id: string; published_at: Date | null }[]> {
  return db
    .selectFrom('documents')
    .select(['id', 'doc_id', 'published_at'])
    .where('home', '=', home)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(1000)
    .execute()
}

/** SQL: name and address of the home of a new document: the live instance with the most free space, if any. */
export const liveHome: RawBuilder<Pick<HomeRow, 'name' | 'address'>> = sql`
  select name, address from homes
  where reported_at > now() - make_interval(secs => ${sql.lit(LIVE_SECONDS)})
  order by free_bytes desc, name limit 1`
