import { z } from 'zod'
import { docParams, flag } from './parameters'

const DEFAULT_ROWS = 10

/** Path parameters of a comparison of two documents. */
export const comparedDocuments = docParams.extend({
  docId2: docParams.shape.docId.meta({ description: 'The other document, in the same forms' }),
})

/** How much of a comparison of two documents to return. */
export const documentsComparisonQuery = z.object({
  detail: flag('Return what has changed in each document'),
  maxRows: z
    .string()
    .regex(/^(\d{1,9}|null)$/, 'must be an integer of at least 0, or null')
    .transform((text) => (text === 'null' ? Infinity : Number(text)))
    .default(DEFAULT_ROWS)
    .meta({
      type: 'string',
      description: `Number of added, of changed and of removed rows of each table whose cells are returned, ${DEFAULT_ROWS} by default; \`null\` for all. All row ids are returned.`,
    }),
})

const state = z
  .object({
    n: z.int().describe('Position in the log'),
    h: z.string().describe('Name of the state, `<epoch>.<seq>`, as in `ETag`'),
  })
  .describe('A state of a document')

const rename = z
  .array(z.string().nullable())
  .length(2)
  .describe('Name before and after; null where there is none')

const rowIds = z.array(z.int())

const cell = z
  .array(z.array(z.unknown()).nullable())
  .length(2)
  .describe('A list of the value before, and one of the value after; null where there is no cell')

const tableDelta = z.object({
  updateRows: rowIds.describe('Ids of changed rows'),
  removeRows: rowIds.describe('Ids of removed rows'),
  addRows: rowIds.describe('Ids of added rows'),
  columnDeltas: z
    .record(z.string(), z.record(z.string(), cell))
    .describe('Cells by column id and row id'),
  columnRenames: z.array(rename).describe('Added, removed and renamed columns'),
})

const changes = z.object({
  tableRenames: z.array(rename).describe('Added, removed and renamed tables'),
  tableDeltas: z
    .record(z.string(), tableDelta)
    .describe('Changes by table id; the id of a removed table has a minus sign before it'),
})

/** A comparison of two documents. */
export const documentsComparison = z
  .object({
    left: state.describe('The state of the document'),
    right: state.describe('The state of the other document'),
    parent: state.nullable().describe('The latest state that both had; null if there is none'),
    summary: z
      .enum(['same', 'left', 'right', 'both', 'unrelated'])
      .describe('Which documents have changed since; `unrelated` without a common state'),
    details: z
      .object({
        leftChanges: changes.describe('Changes of the document'),
        rightChanges: changes.describe('Changes of the other document'),
      })
      .optional()
      .describe('What has changed since; with `detail=true`, unless the documents are unrelated'),
  })
  .meta({ id: 'DocumentsComparison', description: 'Comparison of two documents' })
