import type { CheckFormulaResponse } from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { z } from 'zod'
import type { DocumentSession } from '../routing/document-session'
import type { formulaCheck } from '../schemas/formulas'

/** Errors and results of a formula, as clients receive them. */
type CheckedFormula = ReturnType<typeof toJson>

/** Checks a formula on rows of the document. Throws as ColumnsService.checkFormula. */
export async function checkFormula(
  document: DocumentSession,
  body: z.output<typeof formulaCheck>,
): Promise<CheckedFormula> {
  const { tableId, colId: columnId = '', type = '', formula, rowIds = [], isFormula = true } = body
  const { docId } = document
  const request = { docId, tableId, columnId, type, formula, rowIds, isTrigger: !isFormula }
  return toJson(await document.read((home, call) => home.columns.checkFormula(request, call)))
}

function toJson(checked: CheckFormulaResponse) {
  const { cells, syntaxErrors, unknownNames, stopped, engine, pythonReason } = checked
  return {
    syntaxErrors,
    unknownNames: unknownNames.map(({ tableId, suggestion = null, ...name }) => ({
      ...name,
      tableId: tableId === '' ? null : tableId,
      suggestion,
    })),
    rows: cells.map(({ rowId: id, valueJson, typedJson, error = null }) => ({
      id,
      value: JSON.parse(valueJson.toString()) as unknown,
      typed: JSON.parse(typedJson.toString()) as unknown,
      error,
    })),
    stopped: stopped ?? null,
    engine,
    pythonReason: pythonReason ?? null,
  }
}
