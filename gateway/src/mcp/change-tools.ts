import { z } from 'zod'
import { comparisonOf } from '../documents/conditional-requests'
import { DocumentSession } from '../routing/document-session'
import { batch } from '../schemas/batch'
import { ANSWER_BYTES } from './answer-budget'
import { getToolWriteOptions, writeArguments } from './once'
import { defineTool, docId, writes, type Tool } from './tool'

type Written = Parameters<typeof comparisonOf>[0]

// document-data validates operations; a schema here would drop what it does not know.
const operations = z.array(z.unknown()).min(1).max(1_000)
const writeSchema = z.strictObject({ docId, operations, ...writeArguments })

/** Writes rows, tables and columns. */
const write: Tool = defineTool({
  name: 'write',
  title: 'Write rows, tables and columns',
  description:
    'Applies operations in order as one change, all or none. Call it with dryRun: true first, and look at what would change. Later operations may use the temporary id ("$a") of a row that an earlier one adds; `expect` states values that a row must hold. The answer has the seq of the change, and how to undo it.',
  annotations: writes,
  schema: writeSchema,
  described: writeSchema.extend({ operations: batch.shape.operations }),
  async run(call, args) {
    const { docId: name, dryRun, requestId, operations: given } = args
    const document = await DocumentSession.open(call.exchange, name, 'editors')
    const { docId } = document
    const bodyJson = Buffer.from(JSON.stringify({ operations: given }))
    const options = getToolWriteOptions(call, {
      tool: 'write',
      args: [docId, given],
      dryRun,
      requestId,
    })
    const written = await document.call(
      (home, context) =>
        home.actions.applyBatch({ docId, bodyJson, noParse: false, options }, context),
      { isIdempotent: options !== undefined },
    )
    const { resultJson, isModification, seq } = written
    const result = { ...shortenResult(resultJson), isModification }
    if (dryRun) return dryRunJson(written, result)
    return JSON.stringify({ seq, ...result, ...(isModification && undoOf(docId, seq)) })
  },
})

/** Undoes a change. */
const undoChange: Tool = defineTool({
  name: 'undo_change',
  title: 'Undo a change',
  description:
    'Undoes the change with this seq completely, by a new change, which can itself be undone. Refused, and nothing changed, when a later change affects the same data; `details.conflicts` lists it. dryRun: true shows what it would do.',
  annotations: writes,
  schema: z.strictObject({
    docId,
    seq: z.int().min(1).describe('seq of the change, from write or list_history'),
    ...writeArguments,
  }),
  async run(call, { docId: name, seq: undone, dryRun, requestId }) {
    const document = await DocumentSession.open(call.exchange, name, 'editors')
    const { docId } = document
    const options = getToolWriteOptions(call, {
      tool: 'undo_change',
      args: [docId, undone],
      dryRun,
      requestId,
    })
    const written = await document.call(
      (home, context) => home.history.revertChange({ docId, seq: undone, options }, context),
      { isIdempotent: options !== undefined },
    )
    const { seq } = written
    return dryRun
      ? dryRunJson(written, { undone })
      : JSON.stringify({ seq, undone, ...undoOf(docId, seq) })
  },
})

/** How to undo a change. */
function undoOf(docId: string, seq: number) {
  return { undo: { tool: 'undo_change', arguments: { docId, seq } } }
}

/** The answer of a dry run: what would change, or only that it is too much to show. */
function dryRunJson(written: Written, result: object): string {
  const head = JSON.stringify({ dryRun: true, kept: 'nothing was changed', ...result })
  const comparison = comparisonOf(written)
  if (comparison.length <= ANSWER_BYTES) return `${head.slice(0, -1)},${comparison.toString()}}`
  return `${head.slice(0, -1)},"change":{"truncated":true,"bytes":${comparison.length}}}`
}

/** The result of a batch; numbers of rows instead of their ids, when these are too many for an answer. */
function shortenResult(resultJson: Uint8Array): object {
  const result = JSON.parse(Buffer.from(resultJson).toString()) as {
    readonly operations: readonly object[]
  }
  if (resultJson.length <= ANSWER_BYTES) return result
  const count = (value: unknown): unknown => (Array.isArray(value) ? value.length : value)
  const operations = result.operations.map((operation) =>
    Object.fromEntries(Object.entries(operation).map(([name, value]) => [name, count(value)])),
  )
  return { counts: operations.slice(0, 100), operationsInAll: operations.length }
}

/** Tools that change a document. */
export const changeTools: readonly Tool[] = [write, undoChange]
