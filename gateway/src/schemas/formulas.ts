import { z } from 'zod'
import { listOf } from './list'
import { text } from './text'

/** Which formula columns to compute again. */
export const recalculationQuery = z.object({
  tableId: text.optional().meta({
    description: 'Recalculate the formula columns of this table only: table id or `tableRef`',
    example: 'Orders',
  }),
  colId: text.optional().meta({
    description: 'Recalculate this column only; requires `tableId`',
    example: 'Total',
  }),
})

/** The columns that are computed again. */
export const recalculation = z
  .object({ columns: z.int().describe('Number of columns that are computed again') })
  .meta({ id: 'Recalculation', description: 'Columns that are computed again' })

const engine = {
  engine: z
    .enum(['compiled', 'python'])
    .describe('How the formula runs: without Python except for cells that need it, or in Python'),
  pythonReason: z
    .string()
    .nullable()
    .describe('The part of the formula that needs Python; null for a compiled formula'),
}

const formulaTiming = z
  .object({
    tableId: z.string().describe('Id of the table'),
    colId: z.string().describe('Id of the column'),
    colRef: z.int().describe('Ref of the column'),
    cells: z.int().describe('Cells computed since the document was opened'),
    errors: z.int().describe('Computed cells that became errors'),
    milliseconds: z.number().describe('Time that computing these cells took'),
    pendingRows: z.int().describe('Rows whose cells are not computed yet'),
    stopped: z
      .enum(['time', 'memory'])
      .nullable()
      .describe('Limit that the formula exceeded; null while it runs'),
    ...engine,
    compiledCells: z.int().describe('Computed cells that needed no Python'),
    isTrigger: z
      .boolean()
      .describe('Whether the column has data, which the formula gives to new or changed rows'),
    dueCells: z
      .int()
      .describe(
        'Cells of a trigger formula that could not be computed with their write, and are still to be computed',
      ),
    missedCells: z
      .int()
      .describe(
        'Cells of a trigger formula that are not computed later either, because too many are due; since the document was opened',
      ),
  })
  .meta({
    id: 'FormulaTiming',
    description: 'State of a formula column, or of a column with a trigger formula',
  })

/** The formula columns of a document. */
export const formulaTimings = z
  .object({
    columns: z.array(formulaTiming).describe('Columns with formulas, by table and position'),
  })
  .meta({ id: 'FormulaTimings', description: 'State of the formula columns of a document' })

/** Rows for which a formula is checked. */
const checkedRows = { min: 1, max: 20 }

/** A formula to check. */
export const formulaCheck = z.object({
  tableId: text.meta({
    description: 'Table whose rows the formula is for: table id or `tableRef`',
    example: 'Orders',
  }),
  colId: text.optional().meta({
    description: 'Column whose formula would change; absent for a new column',
    example: 'Total',
  }),
  type: text.optional().meta({
    description:
      'Column type of the results; default: the type of the column, and `Any` for a new column',
    example: 'Numeric',
  }),
  isFormula: z
    .boolean()
    .optional()
    .describe('False for a trigger formula, which has the names `value` and `user`; default: true'),
  formula: text.meta({ description: 'The formula', example: '$Price * $Count' }),
  rowIds: listOf(z.int().min(1), checkedRows)
    .optional()
    .describe('Ids of the rows for which it is computed; default: the first 20 rows'),
})

const line = z.int().describe('Line, from 1; 0 when it is not known')
const column = z.int().describe('Character of the line, from 1; 0 when it is not known')

const syntaxError = z
  .object({ line, column, message: z.string().describe('What is wrong') })
  .meta({ id: 'FormulaSyntaxError', description: 'Error of syntax in a formula' })

const unknownName = z
  .object({
    kind: z
      .enum(['name', 'column', 'method'])
      .describe('`column`: a column of `tableId`; `method`: a method of a table; else `name`'),
    name: z.string().describe('The name'),
    tableId: z.string().nullable().describe('Table that has no such column'),
    line,
    column,
    suggestion: z.string().nullable().describe('The name that was probably meant'),
  })
  .meta({ id: 'UnknownName', description: 'Name in a formula that nothing has' })

const checkedCell = z
  .object({
    id: z.int().describe('Id of the row'),
    value: z.unknown().describe('The cell as `GET …/records` returns it; null for an error'),
    typed: z.unknown().describe('The cell as `cellFormat=typed` returns it'),
    error: z
      .object({
        name: z.string().describe('Name of the class'),
        message: z.string().describe('Message; may be empty'),
        line,
      })
      .nullable()
      .describe('Error of the formula in this row'),
  })
  .meta({ id: 'CheckedCell', description: 'Result of a formula in one row' })

/** What a check of a formula has found. */
export const checkedFormula = z
  .object({
    syntaxErrors: z.array(syntaxError).describe('Errors of syntax; each row has one then'),
    unknownNames: z.array(unknownName).describe('Names that nothing has; at most 20'),
    rows: z.array(checkedCell).describe('Results by row id; empty when the formula was stopped'),
    stopped: z
      .enum(['time', 'memory'])
      .nullable()
      .describe('Limit that the formula exceeded; null when it ran to its end'),
    ...engine,
  })
  .meta({ id: 'CheckedFormula', description: 'Errors and results of a formula' })
