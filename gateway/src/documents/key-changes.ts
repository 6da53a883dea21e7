import { toAppError, type AppError } from '@sheaf/kit/errors'
import type {
  ListKeyChangesResponse,
  TableChanges,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import type { KeyDocument } from '@sheaf/protos/sheaf/directory/v1/keys'
import type { Exchange } from '../http/exchange'
import { isRefusedByHome } from '../routing/repeat-call'
import { cursorOf, type KeyChangePosition } from '../schemas/key-changes'
import { causeName } from './change-json'

/** Documents that are asked at the same time. */
const CONCURRENCY = 8
/** Documents that have not answered by then are left out. */
const ASK_MS = 10_000

/** The requested part of the changes of a key. */
export interface KeyChangesQuery {
  readonly keyId: number
  readonly limit: number
  readonly cursor?: KeyChangePosition | undefined
}

/** A document as the page names it. */
interface NamedDocument {
  readonly docId: string
  readonly docName: string
}

/** A change as the page has it. */
interface ListedChange extends NamedDocument {
  readonly seq: number
  readonly time: string
  readonly cause: string
  readonly tables: readonly TableChanges[]
  readonly truncated?: true
}

/** A page of changes, newest first. */
export interface KeyChangesPage {
  readonly changes: readonly ListedChange[]
  readonly next: string | null
  readonly unavailable: readonly NamedDocument[]
}

/** The changes of one document before the position, newest first. */
export interface DocumentChanges extends KeyDocument, ListKeyChangesResponse {}

/**
 * Lists what one of the caller's keys has changed in the documents of which the caller is an editor. Throws `not_found` for
 * an unknown key; a document that cannot be read is only named.
 */
export async function listKeyChanges(
  exchange: Exchange,
  query: KeyChangesQuery,
): Promise<KeyChangesPage> {
  const { keys } = exchange.context.directory
  const { documents } = await keys.listKeyDocuments({ keyId: query.keyId }, exchange.call())
  const deadline = Math.min(exchange.deadline, Date.now() + ASK_MS)
  const unavailable: NamedDocument[] = []
  const read: DocumentChanges[] = []
  const waiting = [...documents]
  const work = async () => {
    for (let document = waiting.shift(); document; document = waiting.shift()) {
      const found = await readChanges(exchange, document, query, deadline)
      if (found === 'unavailable') unavailable.push(named(document))
      else if (found) read.push({ ...document, ...found })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { ...mergeChanges(read, query.limit), unavailable }
}

const passing = new Set<AppError['code']>(['unavailable', 'timeout', 'too_many', 'precondition'])

/** Undefined for a document that the caller must not see, or that was deleted meanwhile. It is asked once: others wait for it. */
async function readChanges(
  exchange: Exchange,
  { docId }: KeyDocument,
  { keyId, limit, cursor }: KeyChangesQuery,
  deadline: number,
): Promise<ListKeyChangesResponse | 'unavailable' | undefined> {
  const { context, credential, site } = exchange
  try {
    const { document, token, askedAt } = await exchange.authorize(docId)
    if (!document) return undefined
    const { history } = context.documentData.at(document.homeAddress, askedAt)
    const request = { docId, keyId, limit, ...before(docId, cursor) }
    return await history.listKeyChanges(request, { ...exchange.call(token), deadline })
  } catch (error) {
    if (isRefusedByHome(error)) context.access.forget({ credential, site, document: docId })
    const code = toAppError(error)?.code
    if (code === 'forbidden' || code === 'not_found') return undefined
    if (code && passing.has(code)) return 'unavailable'
    throw error
  }
}

/** The order of changes: by time, newest first, then by document, then by position. */
function before(docId: string, cursor: KeyChangePosition | undefined) {
  if (!cursor) return { beforeSeq: 0, beforeTimeMs: 0 }
  if (docId === cursor.docId) return { beforeSeq: cursor.seq, beforeTimeMs: 0 }
  return { beforeSeq: 0, beforeTimeMs: docId > cursor.docId ? cursor.time + 1 : cursor.time }
}

/**
 * Merges the changes of documents into one page of at most `limit`. It ends where a document may have further changes that
 * were not read.
 */
export function mergeChanges(
  documents: readonly DocumentChanges[],
  limit: number,
): Pick<KeyChangesPage, 'changes' | 'next'> {
  const all = documents
    .flatMap(({ changes, hasMore, ...document }) =>
      changes.map((change, index) => ({
        ...document,
        ...change,
        isEnd: hasMore && index === changes.length - 1,
      })),
    )
    .sort((a, b) => b.timeMs - a.timeMs || compareText(a.docId, b.docId) || b.seq - a.seq)
  const end = all.findIndex(({ isEnd }) => isEnd)
  const shown = all.slice(0, end < 0 ? limit : Math.min(limit, end + 1))
  const last = shown.at(-1)
  const isWhole = end < 0 && shown.length === all.length
  const changes = shown.map(({ timeMs, cause, truncated, seq, tables, ...document }) => ({
    ...named(document),
    seq,
    time: new Date(timeMs).toISOString(),
    cause: causeName(cause),
    tables,
    ...(truncated && { truncated }),
  }))
  const next = isWhole || !last ? null : cursorOf({ ...last, time: last.timeMs })
  return { changes, next }
}

const named = ({ docId, name }: KeyDocument): NamedDocument => ({ docId, docName: name })

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))
