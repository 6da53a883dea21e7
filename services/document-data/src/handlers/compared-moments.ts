import { AppError, toAppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { ComparedMoment } from '@sheaf/protos/sheaf/document_data/v1/history'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import { seqMoment } from '../moments/find-moment'
import type { OpenMoment } from '../moments/past-documents'
import type { ComparePlan } from '../store/compare/compare-plan'
import type { RecordsReply } from '../store/documents/record-reads'
import { historyTable } from '../store/feed/history-table'
import { findEntry } from '../store/log/log'
import { readerOf } from './document-call'

/** What to compare. */
export interface ComparisonRequest {
  readonly docId: string
  /** Id of the only table at one of the moments, or its ref; empty for all. */
  readonly tableId: string
  readonly from: Moment | undefined
  /** Undefined for the present. */
  readonly to?: Moment | undefined
}

/** A comparison that is being read, until it is disposed of. */
export interface OpenComparison extends Disposable {
  readonly from: ComparedMoment
  readonly to: ComparedMoment
  /** See `compareParts`; nothing for one and the same moment. */
  readonly chunks: RecordsReply['chunks']
}

type Wanted = ComparisonRequest & Pick<ComparePlan, 'answer' | 'position' | 'maxRows'>

/**
 * Compares two moments of a document. Throws as `PastDocuments.open`, with the name of the field, and `not_found` for an
 * unknown table.
 */
export async function openComparison(
  ctx: Context,
  call: ServerCall,
  wanted: Wanted,
): Promise<OpenComparison> {
  const moments = await openMoments(ctx, call, wanted)
  try {
    const { from, to } = moments
    const { seq, chunks } = await readDifferences(moments, call, wanted)
    const later = from.seq > to.seq ? from : to
    if (seq === later.seq || wanted.to === undefined) {
      const last = wanted.to === undefined ? { ...to, seq } : to
      return {
        from: describe(from),
        to: describe(last),
        chunks,
        [Symbol.dispose]: () => moments[Symbol.dispose](),
      }
    }
    // The document was written meanwhile, so that its latest moment has become a former one.
    await endReading(chunks)
  } catch (error) {
    moments[Symbol.dispose]()
    throw error
  }
  moments[Symbol.dispose]()
  const pinned = { from: seqMoment(moments.from.seq), to: seqMoment(moments.to.seq) }
  return openComparison(ctx, call, { ...wanted, ...pinned })
}

/** Ends a read that nobody is interested in; one that has not begun would last until its time is over. */
async function endReading(chunks: RecordsReply['chunks']): Promise<void> {
  if (!(Symbol.asyncIterator in chunks)) return
  const reading = chunks[Symbol.asyncIterator]()
  await reading.next()
  await reading.return?.()
}

interface OpenMoments extends Disposable {
  readonly from: OpenMoment
  readonly to: OpenMoment
}

async function openMoments(
  ctx: Context,
  { caller: { userId }, signal }: ServerCall,
  wanted: ComparisonRequest,
): Promise<OpenMoments> {
  const { docId, to: end = seqMoment(ctx.documents.stateOf(docId).seq) } = wanted
  if (!wanted.from) throw new AppError('invalid', 'BAD_FIELD', 'from is required')
  const open = async (field: string, moment: Moment) => {
    try {
      return await ctx.past.open(docId, moment, { userId, signal })
    } catch (error) {
      throw toFieldError(error, field)
    }
  }
  const from = await open('from', wanted.from)
  try {
    const to = await open('to', end)
    const dispose = () => {
      from[Symbol.dispose]()
      to[Symbol.dispose]()
    }
    return { from, to, [Symbol.dispose]: dispose }
  } catch (error) {
    from[Symbol.dispose]()
    throw error
  }
}

function toFieldError(error: unknown, field: string): unknown {
  const known = toAppError(error)
  if (known?.reason !== 'MOMENT_NOT_FOUND') return error
  return new AppError('invalid', 'MOMENT_NOT_FOUND', `${field}: ${known.message}`, {
    ...known.metadata,
    parameter: field,
  })
}

/** Reads from the file of the later moment, whose log has all entries between them. */
async function readDifferences(
  { from, to }: OpenMoments,
  call: ServerCall,
  { tableId, answer, position, maxRows }: Wanted,
): Promise<Pick<RecordsReply, 'seq' | 'chunks'>> {
  const tableRef = tableId === '' ? undefined : findTable(from, to, tableId)
  if (from.seq === to.seq) return { seq: to.seq, chunks: [] }
  const isBack = from.seq > to.seq
  const [later, earlier] = isBack ? [from, to] : [to, from]
  const plan: ComparePlan = {
    export: 'comparison',
    otherPath: earlier.documents.files.pathOf(earlier.docId),
    otherIsTarget: isBack,
    answer,
    tableRef,
    position,
    maxRows,
  }
  return later.documents.readExport(later.docId, () => plan, readerOf(call))
}

/** The ref of a table that existed at one of the moments, or ever if it is given by its ref. */
function findTable(from: OpenMoment, to: OpenMoment, tableId: string): number {
  for (const { documents, docId } of [to, from]) {
    const ref = documents.read<number | undefined>(docId, ({ schema }) => schema.find(tableId)?.ref)
    if (ref !== undefined) return ref
  }
  return to.documents.read<number>(to.docId, (doc) => historyTable(doc, tableId))
}

function describe({ documents, docId, seq }: OpenMoment): ComparedMoment {
  const timeMs = documents.read<number>(
    docId,
    ({ connection }) => findEntry(connection, seq, 0)?.time ?? 0,
  )
  return { seq, timeMs }
}
