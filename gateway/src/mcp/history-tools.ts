import { PAST_AND_CAPS } from '@sheaf/auth/require-protocol'
import type { ListDifferencesRequest } from '@sheaf/protos/sheaf/document_data/v1/history'
import { AppError } from '@sheaf/kit/errors'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { z } from 'zod'
import { comparedMoment, writeDifferences } from '../comparison/comparison-stream'
import { describeChanges } from '../documents/described-changes'
import type { Exchange } from '../http/exchange'
import { DocumentSession } from '../routing/document-session'
import { moment, parseMoment } from '../schemas/moment'
import { text } from '../schemas/text'
import { ANSWER_BYTES, answerTooLarge, takeFitting } from './answer-budget'
import { defineTool, docId, type Tool } from './tool'

/** Rows of one comparison; fewer are tried when these do not fit into an answer. */
const COMPARED_ROWS = [100, 10, 1]
const DEFAULT_CHANGES = 20
const MAX_CHANGES = 100

/** Compares two moments. */
const compareMoments: Tool = defineTool({
  name: 'compare_moments',
  title: 'Compare two moments',
  description:
    'Counts how many rows and columns of which tables differ between two moments of a document, or with summary: false lists the differences as operations. Requires edit access.',
  schema: z.strictObject({
    docId,
    from: moment,
    to: moment.optional().describe('The later or earlier moment; absent for the present'),
    tableId: text.optional().describe('Compare this table only'),
    summary: z.boolean().optional().describe('False to list what differs; default: true'),
    cursor: z
      .string()
      .max(8192)
      .optional()
      .describe('`nextCursor` of the previous answer; only with summary: false'),
  }),
  async run({ exchange }, { docId: name, from, to, tableId = '', summary = true, cursor = '' }) {
    if (summary && cursor !== '')
      throw new AppError('invalid', 'INVALID_PARAMETER', 'cursor is not available with summary', {
        parameter: 'cursor',
      })
    const document = await DocumentSession.open(exchange, name, 'editors')
    const request = {
      docId: document.docId,
      from: parseMoment(String(from)),
      to: to === undefined ? undefined : parseMoment(String(to)),
      tableId,
    }
    if (!summary) return listDifferences(document, { ...request, cursor })
    const counts = await document.read((home, call) =>
      home.history.getDifferenceCounts(request, call),
    )
    if (!counts.from || !counts.to) throw new Error('document-data named no moments')
    const { items, next } = takeFitting(counts.tables, 0, ANSWER_BYTES)
    return JSON.stringify({
      from: comparedMoment(counts.from),
      to: comparedMoment(counts.to),
      tables: items,
      ...(next !== undefined && { tablesInAll: counts.tables.length }),
    })
  },
})

async function listDifferences(
  document: DocumentSession,
  request: Omit<ListDifferencesRequest, 'limit'>,
): Promise<string> {
  for (const limit of COMPARED_ROWS) {
    const json = await document.read(async (home, call) => {
      const pieces: Buffer[] = []
      let bytes = 0
      const responses = home.history.listDifferences({ ...request, limit }, call)
      for await (const { chunk } of writeDifferences(responses)) {
        pieces.push(chunk)
        bytes += chunk.length
        if (bytes > ANSWER_BYTES) return undefined
      }
      return Buffer.concat(pieces).toString()
    })
    if (json !== undefined) return json
  }
  throw answerTooLarge('a difference', 'compare one table by tableId, or read it with query')
}

/** Lists changes. */
const listHistory: Tool = defineTool({
  name: 'list_history',
  title: 'List changes',
  description:
    'Returns changes of a document, newest first, with author, time, old values and new values. A change whose values are too many is `truncated`: compare_moments shows it in pages. undo_change undoes a change by its seq. Requires edit access.',
  schema: z.strictObject({
    docId,
    tableId: text.optional().describe('Changes of this table only'),
    rowId: z.int().min(1).optional().describe('Changes of this row only; requires tableId'),
    keyId: z.int().min(1).optional().describe('Changes made with this API key only'),
    limit: z
      .int()
      .min(1)
      .max(MAX_CHANGES)
      .optional()
      .describe(`Changes to return, ${DEFAULT_CHANGES} by default`),
    before: z
      .int()
      .min(1)
      .optional()
      .describe('Changes with a smaller seq only: `next` of the previous answer'),
  }),
  async run(
    { exchange },
    { docId: name, tableId = '', rowId = 0, keyId = 0, before = 0, ...rest },
  ) {
    if (rowId > 0 && tableId === '')
      throw new AppError('invalid', 'INVALID_PARAMETER', 'rowId requires tableId', {
        parameter: 'rowId',
      })
    const document = await DocumentSession.open(exchange, name, 'editors')
    const { docId } = document
    if (keyId > 0) exchange.neededProtocol = PAST_AND_CAPS
    const request = { docId, tableId, rowId, keyId, limit: rest.limit ?? DEFAULT_CHANGES }
    const { changes, nextBeforeSeq } = await document.read((home, call) =>
      home.history.listHistory({ ...request, beforeSeq: before }, call),
    )
    return pageJson(await showChanges(exchange, changes), changes, nextBeforeSeq)
  },
})

/** The JSON of the changes that fit into an answer, from the first one on. */
async function showChanges(
  exchange: Exchange,
  changes: readonly ChangeEvent[],
): Promise<readonly string[]> {
  // One that is too large alone is shown without its values.
  const withoutValues = (change: ChangeEvent) => ({ ...change, operations: [], truncated: true })
  const jsons = await describeChanges(exchange, changes)
  const isLarge = (index: number) => (jsons[index]?.length ?? 0) > ANSWER_BYTES
  const large = changes.filter((_change, index) => isLarge(index))
  const shortened = await describeChanges(exchange, large.map(withoutValues))
  const shown: string[] = []
  let bytes = 0
  for (const [index, json] of jsons.entries()) {
    const part = isLarge(index) ? (shortened.shift() ?? json) : json
    bytes += part.length
    if (bytes > ANSWER_BYTES) break
    shown.push(part.toString())
  }
  return shown
}

function pageJson(
  shown: readonly string[],
  changes: readonly ChangeEvent[],
  nextBeforeSeq: number,
): string {
  const isWhole = shown.length === changes.length
  const next = isWhole ? nextBeforeSeq : (changes[shown.length - 1]?.seq ?? 0)
  return `{"changes":[${shown.join(',')}],"next":${next === 0 ? 'null' : next}}`
}

/** Tools for the history of a document. */
export const historyTools: readonly Tool[] = [compareMoments, listHistory]
