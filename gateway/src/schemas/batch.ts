import { z } from 'zod'

const table = z.string().describe('Id of the table, as the operations before this one leave it')
const rowName = z
  .union([z.int(), z.string()])
  .describe('Row id, or the temporary id of a row that an earlier operation adds')
const cells = (what: string) => z.record(z.string(), z.unknown()).describe(`${what}, by column id`)
const expect = cells('Values that the row must hold; else nothing is changed').optional()
const flag = (what: string) => z.boolean().optional().describe(what)

const id = z.string().describe('Id of the table or column')
const newColumns = z
  .array(
    z.object({
      id: z.string().nullish().describe('Requested id'),
      fields: cells('Fields as of `POST …/columns`').optional(),
    }),
  )
  .describe('Columns to add')
const updates = z.array(z.object({ id, fields: cells('Fields to change') })).describe('Changes')
const removals = z.array(z.object({ id })).describe('What to remove')

const operation = z
  .discriminatedUnion('op', [
    z.object({
      op: z.literal('addRecords').describe('Adds rows'),
      table,
      records: z
        .array(
          z.object({
            id: z
              .string()
              .optional()
              .describe('Temporary id of the row for later operations: `$` and an identifier'),
            fields: cells('Values').optional(),
          }),
        )
        .describe('Rows to add'),
    }),
    z.object({
      op: z.literal('updateRecords').describe('Changes rows'),
      table,
      records: z
        .array(z.object({ id: rowName, fields: cells('Values'), expect }))
        .describe('Rows to change'),
    }),
    z.object({
      op: z.literal('addOrUpdateRecords').describe('Changes the rows that match, or adds them'),
      table,
      records: z
        .array(
          z.object({
            require: cells('Values to match'),
            fields: cells('Values').optional(),
            expect,
          }),
        )
        .describe('Rows to change or add'),
      onMany: z
        .enum(['first', 'none', 'all'])
        .optional()
        .describe('Which of several matching rows are changed; default: `first`'),
      noAdd: flag('True to add no rows'),
      noUpdate: flag('True to change no rows'),
      allowEmptyRequire: flag('True to permit an empty `require`, which every row matches'),
    }),
    z.object({
      op: z.literal('deleteRecords').describe('Deletes rows; unknown ones are ignored'),
      table,
      records: z.array(z.object({ id: rowName, expect })).describe('Rows to delete'),
    }),
    z.object({
      op: z.literal('addTables').describe('Adds tables'),
      tables: z
        .array(z.object({ id: z.string().nullish().describe('Requested id'), columns: newColumns }))
        .describe('Tables to add'),
    }),
    z.object({ op: z.literal('updateTables').describe('Changes tables'), tables: updates }),
    z.object({ op: z.literal('removeTables').describe('Removes tables'), tables: removals }),
    z.object({ op: z.literal('addColumns').describe('Adds columns'), table, columns: newColumns }),
    z.object({
      op: z.literal('updateColumns').describe('Changes columns'),
      table,
      columns: updates,
    }),
    z.object({
      op: z.literal('removeColumns').describe('Removes columns'),
      table,
      columns: removals,
    }),
  ])
  .meta({ id: 'BatchOperation', description: 'Operation of a batch' })

/** Operations; document-data validates them. */
export const batch = z.object({
  operations: z
    .array(operation)
    .describe(
      'Up to 1,000 operations, up to 100 of them on tables and columns, with up to 50,000 records together',
    ),
})

const rowIds = (what: string) => z.array(z.int()).optional().describe(`Ids of the ${what} rows`)
const items = (what: string) =>
  z
    .array(z.object({ id }))
    .optional()
    .describe(`${what} that the operation has added, changed or removed`)

/** Results of a batch. */
export const appliedBatch = z.object({
  operations: z
    .array(
      z.object({
        op: z.string().describe('The operation'),
        table: z.string().optional().describe('Its table'),
        added: rowIds('added'),
        updated: rowIds('updated'),
        removed: rowIds('deleted'),
        records: z
          .array(z.array(z.int()))
          .optional()
          .describe('Of `addOrUpdateRecords`: for each record, the ids of its rows'),
        tables: items('Tables'),
        columns: items('Columns'),
      }),
    )
    .describe('For each operation, what it has done'),
  tempIds: z.record(z.string(), z.int()).describe('Row ids by temporary id'),
  seq: z.int().describe('Position of the change in the log; of the latest one if nothing changed'),
  isModification: z.boolean().describe('Whether the document was changed'),
})
