import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DeletedDocument } from './deleted-documents'
import { writeFormat } from './formats'
import type { DirectorySchema, DocumentPin } from './schema'

type Db = Kysely<DirectorySchema> | Transaction<DirectorySchema>

/** An instance that has not reported for this long receives no new documents. */
const LIVE_SECONDS = 30
/** Share of the most free space of any instance with which an instance receives new documents as well. */
const MUCH_ROOM = 0.8

/** A document-data instance. */
export interface HomeRow {
  readonly name: string
  readonly address: string
  readonly free_bytes: number
  readonly reported_at: Date
  readonly is_replicated: boolean
  /** True while it may serve documents: its lease lasts, or without replication it has reported lately. */
  readonly is_live: boolean
  readonly drained: boolean
  /** Number of documents that are assigned to it, if they were counted. */
  readonly documents: number | undefined
  readonly format_min: number
  readonly format_max: number
  /** Number of these that are pinned to it, and of these those that an operator has released from replication. */
  readonly pinned: number | undefined
  readonly local: number | undefined
}

/** What directory has stored of a report. */
export interface StoredReport {
  readonly drained: boolean
  /** Newest format that all replicated instances can read. */
  readonly writeFormat: number
}

/** A heartbeat of an instance. */
export interface HomeReport {
  readonly name: string
  readonly address: string
  readonly freeBytes: number
  /** What it understands of its requests. */
  readonly protocol: number
  /** Oldest and newest format of document files that it can use. */
  readonly formatMin: number
  readonly formatMax: number
  /** The lease that a replicated instance asks for; undefined without replication. */
  readonly lease: AskedLease | undefined
}

/** A lease that a process of a replicated instance asks for. */
export interface AskedLease {
  /** Random id of the process. */
  readonly startId: string
  /** Milliseconds from now; 0 to end it. */
  readonly ms: number
}

/** SQL: no process but this one has the lease of instance `h`. */
const isFree = (startId: string | null) => sql<boolean>`
  (h.lease_until is null or h.lease_until <= clock_timestamp() or h.start_id = ${startId})`

/** SQL: the columns of the lease that a report asks for. */
const leaseColumns = ({ lease }: HomeReport) => {
  const seconds = lease && lease.ms / 1000
  return sql`${lease?.startId ?? null}::text,
    clock_timestamp() + make_interval(secs => ${seconds ?? null}::float8)`
}

/**
 * Stores the heartbeat of a known instance, and grants the lease that it asks for; undefined when the instance is new, its
 * address or protocol has changed, another process of its name has the lease, or it asks for a lease for the first time.
 */
export async function refreshHome(db: Db, report: HomeReport): Promise<StoredReport | undefined> {
  const { rows } = await sql<StoredReport>`
    update homes h set free_bytes = ${report.freeBytes}, reported_at = now(),
      format_min = ${report.formatMin}, format_max = ${report.formatMax},
      (start_id, lease_until) = row(${leaseColumns(report)})
    where name = ${report.name} and address = ${report.address} and protocol = ${report.protocol}
      and ${isFree(report.lease?.startId ?? null)}
      and (h.lease_until is not null or ${report.lease === undefined})
    returning drained, ${writeFormat} as "writeFormat"`.execute(db)
  return rows[0]
}

/**
 * As `refreshHome`, in a transaction, for an instance that may be new, have a new address or have been without replication:
 * then its documents are pinned to it. Undefined when another process has the lease.
 */
export async function putHome(db: Db, report: HomeReport): Promise<StoredReport | undefined> {
  if (report.lease) await pinLocalDocuments(db, report.name)
  const { rows } = await sql<StoredReport>`
    insert into homes as h
      (name, address, free_bytes, protocol, format_min, format_max, start_id, lease_until)
    values (${report.name}, ${report.address}, ${report.freeBytes}, ${report.protocol},
      ${report.formatMin}, ${report.formatMax}, ${leaseColumns(report)})
    on conflict (name) do update
      set address = excluded.address, protocol = excluded.protocol,
        format_min = excluded.format_min, format_max = excluded.format_max,
        free_bytes = excluded.free_bytes, reported_at = now(), start_id = excluded.start_id,
        lease_until = excluded.lease_until
      where ${isFree(report.lease?.startId ?? null)}
    returning drained, ${writeFormat} as "writeFormat"`.execute(db)
  return rows[0]
}

/** Documents that an instance has written without replication are on its disk alone. */
async function pinLocalDocuments(db: Db, name: string): Promise<void> {
  const { rows } = await sql<{ isReplicated: boolean }>`
    select lease_until is not null as "isReplicated" from homes where name = ${name} for update`.execute(
    db,
  )
  if (rows[0]?.isReplicated) return
  await sql`update documents set pinned = 'waiting' where home = ${name}`.execute(db)
  // What is kept of those that were deleted is there as well.
  await sql`update deleted_documents set is_pinned = true where home = ${name}`.execute(db)
}

/** A live replicated instance that may have more documents. */
export interface BalancedHome {
  readonly name: string
  /** Number of documents that are assigned to it. */
  readonly documents: number
  /** Share of the recent time in which its event loop was busy. */
  readonly load: number
  readonly freeBytes: number
}

/**
 * Stores how busy an instance is, and returns the instances over which documents are spread: those that can read all that it
 * can. None of them unless that process has the lease.
 */
export async function storeLoad(
  db: Db,
  {
    home,
    startId,
    load,
  }: { readonly home: string; readonly startId: string; readonly load: number },
): Promise<BalancedHome[]> {
  const { rows } = await sql<BalancedHome>`
    with reported as (
      update homes set load = ${load}
      where name = ${home} and start_id = ${startId} and lease_until > clock_timestamp()
      returning name, format_max
    )
    select h.name, case when h.name = r.name then ${load} else h.load end as load,
      h.free_bytes as "freeBytes",
      (select count(*)::int from documents d where d.home = h.name) as documents
    from reported r, homes h where h.lease_until > clock_timestamp() and not h.drained
      and h.format_max >= r.format_max
    order by h.name limit 1000`.execute(db)
  return rows
}

/** What came of the wish to drain an instance, or to use it again. */
export type DrainOutcome = 'stored' | 'unknown' | 'local' | 'alone'

/**
 * Stores that a replicated instance hands over its documents, or may have documents again. `alone`: no other live instance
 * could take them over.
 */
export async function drainHome(db: Db, name: string, drained: boolean): Promise<DrainOutcome> {
  const { rows } = await sql<{ isReplicated: boolean; isAlone: boolean; isStored: boolean }>`
    with known as (
      select name, lease_until is not null as replicated, not exists (
        select 1 from homes o
        where o.name <> h.name and o.lease_until > clock_timestamp() and not o.drained
          and o.format_max >= (
            select coalesce(max(d.format), 0) from documents d where d.home = h.name
          )
      ) as alone
      from homes h where name = ${name}
    ), stored as (
      update homes h set drained = ${drained} from known k
      where h.name = k.name and (not ${drained} or k.replicated and not k.alone) returning h.name
    )
    select replicated as "isReplicated", alone as "isAlone",
      exists (select 1 from stored) as "isStored" from known`.execute(db)
  const [known] = rows
  if (!known) return 'unknown'
  if (known.isStored) return 'stored'
  return known.isReplicated ? 'alone' : 'local'
}

/** A replicated instance whose lease has ended. */
export interface EndedHome {
  readonly name: string
  /** Its last address; null when a live instance has the same one now. */
  readonly address: string | null
}

/** The replicated instances: whether there are any, and those whose lease has ended. */
export async function listEndedHomes(
  db: Db,
): Promise<{ readonly isAnyReplicated: boolean; readonly ended: EndedHome[] }> {
  const { rows } = await sql<EndedHome & { isEnded: boolean }>`
    select name, lease_until <= clock_timestamp() as "isEnded",
      case when not exists (
        select 1 from homes l where l.address = h.address and l.lease_until > clock_timestamp()
      ) then address end as address
    from homes h where lease_until is not null order by name limit 1000`.execute(db)
  return { isAnyReplicated: rows.length > 0, ended: rows.filter(({ isEnded }) => isEnded) }
}

/** SQL: instance `h` may serve documents. */
const isLive = sql<boolean>`
  coalesce(h.lease_until > clock_timestamp(), h.reported_at > now() - make_interval(secs => ${sql.lit(LIVE_SECONDS)}))`

/** Returns all instances that ever reported, by name. */
export async function listHomes(
  db: Db,
  { countsDocuments }: { readonly countsDocuments: boolean },
): Promise<HomeRow[]> {
  const documents = sql`,
    (select count(*)::int from documents d where d.home = h.name) as documents,
    (select count(*)::int from documents d where d.home = h.name and d.pinned is not null) as pinned,
    (select count(*)::int from documents d where d.home = h.name and d.pinned = 'local') as local`
  const { rows } = await sql<HomeRow>`
    select name, address, free_bytes, reported_at, lease_until is not null as is_replicated,
      ${isLive} as is_live, drained, format_min, format_max ${countsDocuments ? documents : sql``}
    from homes h order by name limit 1000`.execute(db)
  return rows
}

/** Whether an instance of this name ever reported. */
export async function isKnownHome(db: Db, name: string): Promise<boolean> {
  const known = await db.selectFrom('homes').select('name').where('name', '=', name).execute()
  return known.length > 0
}

/** A document of an instance. */
export interface HomeDocumentRow {
  readonly id: number
  readonly doc_id: string
  readonly published_at: Date | null
  readonly pinned: DocumentPin | null
}

/** Which documents of an instance to list. */
interface WantedDocuments {
  readonly afterId: number
  readonly pinnedOnly: boolean
  /** Only those with this pin; undefined for any. */
  readonly pin: DocumentPin | undefined
}

/** Returns documents of an instance with a greater id, by id: at most 1000. */
export function listHomeDocuments(
  db: Db,
  home: string,
  { afterId, pinnedOnly, pin }: WantedDocuments,
): Promise<HomeDocumentRow[]> {
  return db
    .selectFrom('documents')
    .select(['id', 'doc_id', 'published_at', 'pinned'])
    .where('home', '=', home)
    .where('id', '>', afterId)
    .$if(pinnedOnly, (query) => query.where('pinned', 'is not', null))
    .$if(pin !== undefined, (query) => query.where('pinned', '=', pin ?? null))
    .orderBy('id')
    .limit(1000)
    .execute()
}

/**
 * SQL: name, address and protocol of the home of a new document, if any instance is live: any of those that have not much less free
 * space than the one with the most, since a difference of some bytes must not give all new documents to one. A drained
 * instance is the home only if all live ones are drained.
 */
export const liveHome = newHome(0)

/** SQL: as `liveHome`; one that understands less than `protocol` only if all live ones do. */
function newHome(protocol: number): RawBuilder<Pick<HomeReport, 'name' | 'address' | 'protocol'>> {
  const isNew = sql<boolean>`protocol >= ${sql.lit(protocol)}`
  return sql`
  select name, address, protocol from (
    select name, address, protocol, free_bytes, drained,
      max(free_bytes) over (partition by ${isNew}, drained) as most
    from homes
    where reported_at > now() - make_interval(secs => ${sql.lit(LIVE_SECONDS)})
      and (lease_until is null or lease_until > clock_timestamp())
  ) live where free_bytes >= most * ${sql.lit(MUCH_ROOM)} order by ${isNew} desc, drained, random() limit 1`
}

/** Where a deleted document was, and what an instance has to understand to make it again. */
interface DeletedHome extends Pick<DeletedDocument, 'home' | 'isPinned'> {
  readonly protocol: number
}

/** SQL: instance `h` may have the documents that it had: it is live, and does not hand them over. */
const keepsDocuments = sql<boolean>`
  (h.reported_at > now() - make_interval(secs => ${sql.lit(LIVE_SECONDS)}) and not h.drained
    and (h.lease_until is null or h.lease_until > clock_timestamp()))`

/**
 * SQL: as `liveHome`, of a new document with the contents of one that this instance had: that instance, or if it is replicated
 * and not live, any; of one that was pinned, that instance alone, as long as it is live. It understands less
 * than `protocol` only if no other can be chosen.
 */
export function homeOfDeleted({ home, isPinned, protocol }: DeletedHome): typeof liveHome {
  const canMake = sql<boolean>`h.protocol >= ${sql.lit(protocol)}`
  return sql`
  (select h.name, h.address, h.protocol from homes h where h.name = ${home} and (
    ${keepsDocuments} and (h.lease_until is null or ${canMake}) or ${isPinned} and ${isLive}))
  union all
  (select name, address, protocol from (${newHome(protocol)}) other where not ${isPinned} and not exists (
    select 1 from homes h
    where h.name = ${home} and (h.lease_until is null or ${keepsDocuments} and ${canMake})
  ))`
}
