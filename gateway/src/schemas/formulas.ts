import { z } from 'zod'
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
    engine: z.string().describe('How the formula runs: `python`'),
    isTrigger: z
      .boolean()
      .describe('Whether the column has data, which the formula gives to new or changed rows'),
    missedCells: z
      .int()
      .describe(
        'Cells of a trigger formula that kept their values because it could not run, since the document was opened',
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
