import { AppError } from '@sheaf/kit/errors'
import { writeDocument } from '../documents/conditional-requests'
import { checkFormula } from '../documents/formula-check'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  checkedFormula,
  formulaCheck,
  formulaTimings,
  recalculation,
  recalculationQuery,
} from '../schemas/formulas'
import { docParams } from '../schemas/parameters'

const tag = 'formulas'

/** State and recalculation of formula columns. */
export const formulaRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/timing',
    id: 'listFormulaTimings',
    tag,
    summary: 'List formula columns with their state',
    description:
      'Returns for each formula column, and each column with a trigger formula, what computing it has taken since the document was opened, how many of its rows are pending, and whether its formula was stopped.',
    access: 'viewers',
    params: docParams,
    success: { description: 'Formula columns', schema: formulaTimings },
    async handle(exchange, { document }) {
      const request = { docId: document.docId }
      const found = await document.read((home, call) =>
        home.columns.listFormulaTimings(request, call),
      )
      const columns = found.columns.map(
        ({ columnId: colId, stopped = null, pythonReason = null, ...rest }) => ({
          ...rest,
          colId,
          stopped,
          pythonReason,
        }),
      )
      sendJson(exchange, { columns })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/formulas/recalculate',
    id: 'recalculateFormulas',
    tag,
    summary: 'Recalculate formula columns',
    description:
      'Computes all cells of formula columns again, including those of stopped formulas. Responds before the cells are computed; until then they are pending. A stopped trigger formula runs for its due cells and with the next writes; no other data is computed again.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    query: recalculationQuery,
    success: { description: 'Columns that are computed again', schema: recalculation },
    async handle(exchange, input) {
      const { tableId = '', colId: columnId = '' } = input.query
      if (columnId !== '' && tableId === '')
        throw new AppError('invalid', 'INVALID_PARAMETER', 'colId parameter requires tableId', {
          parameter: 'colId',
        })
      const request = { docId: input.document.docId, tableId, columnId }
      const { columns } = await writeDocument(exchange, input, (home, call, options) =>
        home.columns.recalculateFormulas({ ...request, options }, call),
      )
      sendJson(exchange, { columns })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/formulas/check',
    id: 'checkFormula',
    tag,
    summary: 'Check a formula',
    description:
      'Returns the errors of syntax, the unknown names and the results of a formula for up to 20 rows, within the limits of formulas. Nothing is stored.',
    access: 'editors',
    params: docParams,
    body: formulaCheck,
    success: { description: 'Errors and results', schema: checkedFormula },
    async handle(exchange, { document, body }) {
      sendJson(exchange, await checkFormula(document, body))
    },
  }),
]
