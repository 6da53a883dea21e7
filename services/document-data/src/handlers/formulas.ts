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
import type { ColumnOfTable } from '../formulas/dependencies/formula-columns'
import { userOf } from '../formulas/exchange/messages'
import { countOpenCells, recalculate } from '../formulas/recalculate'
import { columnNotFound } from '../store/schema/unknown-names'
import type { DocumentReader } from '../store/document'
import type { Schema } from '../store/schema/schema'
import { RecalcWhen } from '../store/schema/trigger-columns'
import { authorOf, readerOf, requireDocument } from './document-call'
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
      columns: withFormulas(doc.schema).map((of) => timingOf(ctx, doc, of)),
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
    const plan = ctx.documents.read(docId, (doc) => planCheck(doc, request))
    const reader = readerOf(call)
    const { cells, unknownNames, ...found } = await ctx.formulas.checks.check(
      request,
      { userId: call.caller.userId, signal: call.signal, user: userOf(authorOf(call)) },
      (run) => ctx.documents.readWhile(docId, reader, run),
    )
    return {
      ...found,
      ...engineOf(ctx, plan.schema, { table: plan.schema.get(plan.tableId), column: plan.column }),
      syntaxErrors: [...found.syntaxErrors],
      unknownNames: [...unknownNames],
      cells: cells.map(({ json: valueJson, error, ...cell }) => ({ ...cell, valueJson, error })),
    }
  },
})

function timingOf(
  ctx: Context,
  doc: DocumentReader,
  { table, column }: ColumnOfTable,
): FormulaTiming {
  const timing = ctx.formulas.timingOf(doc.docId, column.ref)
  const { cells = 0, errors = 0, compiled = 0, ms = 0 } = timing ?? {}
  const { stopped, triggerStopped } = column
  const { pendingRows, dueCells } = countOpenCells(doc, { table, column })
  return {
    tableId: table.tableId,
    columnId: column.id,
    colRef: column.ref,
    cells,
    errors,
    // The evaluator measures in microseconds.
    milliseconds: Math.round(ms * 1000) / 1000,
    pendingRows,
    stopped: stopped ?? triggerStopped,
    ...engineOf(ctx, doc.schema, { table, column }),
    compiledCells: compiled,
    isTrigger: !column.isFormula,
    dueCells,
    missedCells: ctx.formulas.missedOf(doc.docId, column.ref),
  }
}

/** How the formula of a column runs. */
function engineOf(
  ctx: Context,
  schema: Schema,
  of: ColumnOfTable,
): Pick<FormulaTiming, 'engine' | 'pythonReason'> {
  const pythonReason = ctx.formulas.needsPython(schema, of)
  return { engine: pythonReason === undefined ? 'compiled' : 'python', pythonReason }
}

/** The formula columns, and the columns with trigger formulas. */
function withFormulas(schema: Schema): ColumnOfTable[] {
  return schema.tables.flatMap((table) =>
    table.columns.flatMap((column) =>
      column.formula === '' || (!column.isFormula && column.recalcWhen === RecalcWhen.never)
        ? []
        : { table, column },
    ),
  )
}

/**
 * The formula columns that a request names, and the stopped trigger columns among them, whose formulas may run again.
 * Throws `not_found`, and `invalid` for a column without a formula.
 */
function findColumns(
  { schema }: DocumentReader,
  { tableId, columnId }: RecalculateFormulasRequest,
): ColumnOfTable[] {
  const found = withFormulas(schema).filter(
    ({ column }) => column.isFormula || column.triggerStopped,
  )
  if (tableId === '') return found
  const table = schema.get(tableId)
  if (columnId === '') return found.filter((of) => of.table === table)
  const column = table.byId.get(columnId)
  if (!column) throw columnNotFound(columnId, table)
  if (column.formula === '')
    throw new AppError('invalid', 'NO_FORMULA', `column "${columnId}" has no formula`, {
      column: columnId,
    })
  return found.filter((of) => of.column === column)
}
