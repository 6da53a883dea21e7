import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ListFormulaTimingsResponse,
  RecalculateFormulasResponse,
  type CheckFormulaRequest,
  type CheckFormulaResponse,
  type ColumnsService,
  type FormulaTiming,
  type ListFormulaTimingsRequest,
  type RecalculateFormulasRequest,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { planCheck } from '../formulas/checks/check-plan'
import { columnsOf, type ColumnOfTable } from '../formulas/dependencies/formula-columns'
import { recalculate } from '../formulas/recalculate'
import { quoteId } from '../quoting/quote'
import { columnNotFound } from '../store/schema/unknown-names'
import type { DocumentReader } from '../store/document'
import { readerOf, requireDocument } from './document-call'
import { runRead, runWrite } from './document-options'

/** Handlers of ColumnsService that concern formulas. */
export const formulas = (
  ctx: Context,
): Pick<ColumnsService, 'listFormulaTimings' | 'recalculateFormulas' | 'checkFormula'> => ({
  async listFormulaTimings(
    request: ListFormulaTimingsRequest,
    call: ServerCall,
  ): Promise<ListFormulaTimingsResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    return runRead(ctx, request, ListFormulaTimingsResponse, (doc) => ({
      columns: columnsOf(doc.schema).computed.map((of) => timingOf(ctx, doc, of)),
    }))
  },

  async recalculateFormulas(
    request: RecalculateFormulasRequest,
    call: ServerCall,
  ): Promise<RecalculateFormulasResponse> {
    requireDocument(ctx, call, request.docId, 'editors')
    return runWrite(ctx, call, request, {
      response: RecalculateFormulasResponse,
      run: (doc) => {
        const wanted = findColumns(doc, request)
        recalculate(doc, wanted)
        return { columns: wanted.length }
      },
    })
  },

  async checkFormula(
    request: CheckFormulaRequest,
    call: ServerCall,
  ): Promise<CheckFormulaResponse> {
    const { docId } = request
    requireDocument(ctx, call, docId, 'editors')
    // An invalid request needs no evaluator.
    ctx.documents.read(docId, (doc) => void planCheck(doc, request))
    const reader = readerOf(call)
    const { cells, unknownNames, ...found } = await ctx.formulas.checks.check(
      request,
      { userId: call.caller.userId, signal: call.signal },
      (run) => ctx.documents.readWhile(docId, reader, run),
    )
    return {
      ...found,
      syntaxErrors: [...found.syntaxErrors],
      unknownNames: unknownNames.map(({ table: tableId, ...name }) => ({ ...name, tableId })),
      cells: cells.map(({ json: valueJson, error, ...cell }) => ({ ...cell, valueJson, error })),
    }
  },
})

function timingOf(
  ctx: Context,
  doc: DocumentReader,
  { table, column }: ColumnOfTable,
): FormulaTiming {
  const { cells = 0, errors = 0, ms = 0 } = ctx.formulas.timingOf(doc.docId, column.ref) ?? {}
  const { pendingAfter, stopped } = column
  const pendingRows =
    pendingAfter === undefined
      ? 0
      : doc.connection
          .pluck<number>(`SELECT count(*) FROM ${quoteId(table.tableId)} WHERE id > ?`)
          .get(pendingAfter)
  return {
    tableId: table.tableId,
    columnId: column.id,
    colRef: column.ref,
    cells,
    errors,
    // The evaluator measures in microseconds.
    milliseconds: Math.round(ms * 1000) / 1000,
    pendingRows: pendingRows ?? 0,
    stopped,
    engine: 'python',
  }
}

/** The formula columns that a request names. Throws `not_found`, and `invalid` for a column without a formula. */
function findColumns(
  { schema }: DocumentReader,
  { tableId, columnId }: RecalculateFormulasRequest,
): ColumnOfTable[] {
  const { computed, byRef } = columnsOf(schema)
  if (tableId === '') return [...computed]
  const table = schema.get(tableId)
  if (columnId === '') return computed.filter((of) => of.table === table)
  const column = table.byId.get(columnId)
  if (!column) throw columnNotFound(columnId, table)
  const of = byRef.get(column.ref)
  if (!of || !computed.includes(of))
    throw new AppError('invalid', 'NO_FORMULA', `column "${columnId}" has no formula`, {
      column: columnId,
    })
  return [of]
}
