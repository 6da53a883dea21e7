import { quoteId } from '../quoting/quote'
import type { DocumentReader } from '../store/document'
import type { DocumentStore } from '../store/documents/document-store'
import { isWhole } from '../store/documents/read-cache'
import type {
  QueryReader,
  ReadCaller,
  RecordsQuery,
  RecordsReply,
} from '../store/documents/record-reads'
import { readLatestSeq } from '../store/log/log'
import { countRows, findRowChanges, rewindTable } from '../store/past/rewound-table'
import {
  countRoughly,
  extentOf,
  extentOfFound,
  findByIndex,
  isPage,
  narrowTo,
  planRead,
  type ReadPlan,
} from '../store/reads/read-plan'
import { idsInOrder } from '../store/reads/ordered-ids'
import { readAtOnce } from '../store/reads/record-chunks'
import { searchesOtherTables } from '../store/reads/searched-columns'
import type { Table } from '../store/schema/schema'
import { openReader } from '../store/sqlite/connections'

/**
 * Reads records as they were at a former moment from the present document; undefined unless the read is small and little has
 * changed in the table since. Waits as `DocumentStore.readRecords`.
 * @param seq the moment, which must be in the log
 */
export async function readFormerRecords(
  documents: DocumentStore,
  { docId, seq }: { readonly docId: string; readonly seq: number },
  query: RecordsQuery,
  { signal, userId }: ReadCaller,
): Promise<RecordsReply | undefined> {
  const { replyRoom } = documents.shared
  const caller = { signal, userId }
  await replyRoom.enter(caller)
  const { seq: latest } = documents.stateOf(docId)
  const whole = documents.readFile<Buffer | undefined>(docId, (file) =>
    readFile(file, query, { after: seq, upTo: latest }),
  )
  return whole && { seq, chunks: [whole], release: replyRoom.hold(caller, whole) }
}

function readFile(
  { path, schema }: { readonly path: string } & Pick<DocumentReader, 'schema'>,
  query: RecordsQuery,
  range: { readonly after: number; readonly upTo: number },
): Buffer | undefined {
  const table = schema.find(query.tableId)
  if (!table) return undefined
  // A connection of its own: other reads must not see what is temporary.
  const connection = openReader(path)
  try {
    connection.db.exec('BEGIN')
    if (readLatestSeq(connection) !== range.upTo) return undefined
    const changes = findRowChanges(connection, table, range)
    if (!changes) return undefined
    // At most; a view cannot tell it without looking at all rows.
    const rows = countRoughly(connection, { from: quoteId(table.tableId) }) + countRows(changes)
    rewindTable(connection, table, changes)
    const plan = planSmall({ connection, schema }, query, { table, rows })
    const whole = plan && readAtOnce(connection, plan)
    return whole && isWhole(whole) ? whole : undefined
  } finally {
    connection.close()
  }
}

/** The plan of a read that is small; undefined for others. */
function planSmall(
  reader: QueryReader,
  query: RecordsQuery,
  { table: found, rows }: { readonly table: Table; readonly rows: number },
): ReadPlan | undefined {
  const table = query.shape?.(found) ?? found
  const { connection } = reader
  const built = query.build(table, reader)
  // Only this table is as it was.
  if (built.search && searchesOtherTables(built.search.columns)) return undefined
  const plan = planRead(table, built, query.form)
  // In a view, the rows of a range of ids are not in their order.
  if (extentOf(plan, rows) === 'small') return { ...plan, inRanges: false }
  if (isPage(plan)) {
    // Ids first: with other columns, SQLite would look at all rows of the view. One more shows whether there is another page.
    const ids = idsInOrder(connection, plan, { after: plan.extras?.page?.after, more: 1 })
    return narrowTo({ ...plan, offset: 0 }, ids)
  }
  const byId = built.byColumn.get('id')
  const ids = byId && findByIndex(connection, plan, byId)
  return ids && extentOfFound(ids.length) === 'small' ? narrowTo(plan, ids) : undefined
}
