import { sql, type Kysely } from 'kysely'
import { canUse } from './formats'
import type { DirectorySchema, DocumentPin } from './schema'

type Db = Kysely<DirectorySchema>

/** The instance that a document is assigned to. */
export interface Assignment {
  readonly home: string
  /** Null when the instance has never reported. */
  readonly homeAddress: string | null
  /** What the instance understands of its requests; null as the address. */
  readonly homeProtocol: number | null
  /** Raised whenever the document is assigned to another instance. */
  readonly assignment: number
  /**
   * True when another instance has to take over: this one is replicated, and its lease has ended, or it cannot use the
   * document in its format.
   */
  readonly isHomeEnded: boolean
  /** True when the document is on the disk of that instance alone, so that no other one can take over. */
  readonly isPinned: boolean
}

/** SQL: the columns of an Assignment, from document `d` and its instance `h`, which may be absent. */
export const assignmentColumns = sql`d.home, h.address as "homeAddress", h.protocol as "homeProtocol", d.assignment,
  coalesce(h.lease_until <= clock_timestamp() or not ${canUse}, false) as "isHomeEnded",
  d.pinned is not null as "isPinned"`

/** The assignment of a document, published or not; undefined for an unknown one. */
export async function findAssignment(db: Db, docId: string): Promise<Assignment | undefined> {
  const { rows } = await sql<Assignment>`
    select ${assignmentColumns} from documents d left join homes h on h.name = d.home
    where d.doc_id = ${docId}`.execute(db)
  return rows[0]
}

/**
 * Assigns a document, which has this assignment, to a live replicated instance that can read it; the documents of an instance
 * are spread over all of them. Undefined when nothing was changed: no such instance is live, the lease has been granted
 * again, or the document has another assignment by now, or is pinned.
 */
export async function reassign(
  db: Db,
  docId: string,
  { home, assignment }: Pick<Assignment, 'home' | 'assignment'>,
): Promise<Assignment | undefined> {
  // The lock makes a renewal of the lease wait, and is granted only with the lease as it is then. So nothing of an
  // instance is assigned after its lease was granted again.
  const { rows } = await sql<Assignment>`
    with ended as (
      select h.name from homes h, documents d where h.name = ${home} and d.doc_id = ${docId}
        and (h.lease_until <= clock_timestamp() or not ${canUse}) for share of h
    ), target as (
      select h.name, h.address, h.protocol, h.format_max from homes h, documents d
      where d.doc_id = ${docId} and h.lease_until > clock_timestamp() and ${canUse}
      order by h.drained, md5(h.name || ${docId}::text) limit 1
    )
    update documents d set home = t.name, assignment = d.assignment + 1
    from ended e, target t
    where d.doc_id = ${docId} and d.home = e.name and d.assignment = ${assignment} and d.pinned is null
      and t.format_max >= d.format
    returning d.home, t.address as "homeAddress", t.protocol as "homeProtocol", d.assignment, false as "isHomeEnded",
      false as "isPinned"`.execute(db)
  return rows[0]
}

/** Documents that an instance gives away, having stopped using them. */
export interface HandOver {
  /** Name of the instance. */
  readonly home: string
  /** Random id of its process. */
  readonly startId: string
  readonly docIds: readonly string[]
  /** Name of the instance that gets them; empty to spread them over the others. */
  readonly to: string
}

/** A document that was assigned to another instance. */
export interface HandedOver {
  readonly docId: string
  readonly home: string
  readonly homeAddress: string
}

/**
 * Assigns documents of an instance to others, unless that process has no lease, a document is no longer its own or is
 * pinned, or no other instance that may have it is live. Returns those that it assigned.
 */
export async function handOver(
  db: Db,
  { home, startId, docIds, to }: HandOver,
): Promise<HandedOver[]> {
  // Of two processes of the same name only the one with the lease knows which documents are in use.
  const { rows } = await sql<HandedOver>`
    with owner as (
      select name from homes
      where name = ${home} and start_id = ${startId} and lease_until > clock_timestamp() for share
    ), target as (
      select d.id, t.name, t.address from documents d cross join lateral (
        select name, address from homes h
        where h.name <> ${home} and h.lease_until > clock_timestamp() and ${canUse}
          and case when ${to} = '' then not h.drained else h.name = ${to} end
        order by md5(h.name || d.doc_id::text) limit 1
      ) t where d.doc_id = any(${docIds}::uuid[])
    )
    update documents d set home = t.name, assignment = d.assignment + 1
    from owner o, target t where d.id = t.id and d.home = o.name and d.pinned is null
    returning d.doc_id as "docId", d.home, t.address as "homeAddress"`.execute(db)
  return rows
}

/** Documents of an instance that are to be pinned to it, or not to be pinned any more. */
export interface PinnedDocuments extends Pick<HandOver, 'home' | 'startId' | 'docIds'> {
  readonly pin: DocumentPin | null
}

/**
 * Stores whether documents are pinned, unless that process has no lease; returns those that are its own. No process is needed to
 * end it.
 */
export async function pinDocuments(
  db: Db,
  { home, startId, docIds, pin }: PinnedDocuments,
): Promise<string[]> {
  const { rows } = await sql<{ docId: string }>`
    with owner as (
      select name from homes
      where name = ${home} and (${startId === '' && pin === null}
        or start_id = ${startId} and lease_until > clock_timestamp()) for share
    )
    update documents d set pinned = ${pin} from owner o
    where d.doc_id = any(${docIds}::uuid[]) and d.home = o.name
    returning d.doc_id as "docId"`.execute(db)
  return rows.map(({ docId }) => docId)
}

/**
 * Assigns a document to the instance on whose disk alone it is, at the wish of the instance that it is assigned to, and pins it to
 * that one. No effect when it is assigned elsewhere by now.
 */
export async function returnDocument(
  db: Db,
  docId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await sql`
    update documents d set home = h.name, assignment = d.assignment + 1, pinned = 'waiting'
    from homes h where d.doc_id = ${docId} and d.home = ${from} and h.name = ${to} and h.name <> d.home`.execute(
    db,
  )
}
