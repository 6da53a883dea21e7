import {
  ViewFields as WireFields,
  type View as WireView,
} from '@sheaf/protos/sheaf/document_data/v1/tables'
import { z } from 'zod'
import { formSettings } from './forms'
import { listOf } from './list'
import { text } from './text'

/** Views of a table, and in one request. */
const viewBounds = { min: 1, max: 100 }
const sortBounds = { min: 0, max: 50 }
const groupBounds = { min: 0, max: 3 }
const columnBounds = { min: 0, max: 2_000 }

const viewColumn = z
  .strictObject({
    id: text.describe('Id of the column'),
    width: z.int().optional().meta({
      description: 'Width in pixels, 20 to 2,000; absent for the usual width',
    }),
    hidden: z.boolean().optional().describe('Whether the view does not show the column'),
  })
  .meta({ id: 'ViewColumn', description: 'Column as a view shows it' })

const fields = {
  name: text.meta({
    description:
      'Name, 1 to 100 characters, that no other view of the table has in upper or lower case',
    example: 'Open orders',
  }),
  type: z.string().meta({ description: 'Kind of the view: `grid`, `board` or `form`' }),
  position: z.number().meta({ description: 'Position among the views of the table' }),
  description: text.describe('Description for readers, at most 2,000 characters'),
  filter: z.record(z.string(), z.unknown()).meta({
    description:
      'Conditions by column id, in the form of the filter of records; `{}` for all records. At most 16,384 bytes.',
    example: { Status: ['open'] },
  }),
  sort: listOf(text, sortBounds).meta({
    description: 'Column ids, as in the query parameter `sort` of records, one per item',
    example: ['-Due'],
  }),
  columns: listOf(viewColumn, columnBounds).describe(
    'Columns in the order in which they are shown; those that are not listed follow in the order of the table',
  ),
  frozenColumns: z.int().meta({
    description:
      'Number of shown columns that stay in place when the others are scrolled, at most 100',
  }),
  rowHeight: z.string().meta({ description: 'Height of rows: `short`, `medium` or `tall`' }),
  wrapText: z.boolean().describe('Whether text is wrapped in cells'),
  groupBy: listOf(text, groupBounds).meta({
    description:
      'Columns by which rows are grouped, outermost first, as in `sort`; the first makes the lanes of a board',
    example: ['Status'],
  }),
  summaries: z.record(z.string(), z.string()).meta({
    description:
      'What is shown of all values of a column, by column id: `filled`, `empty`, `unique`, `sum`, `average`, `min` or `max`',
    example: { Total: 'sum' },
  }),
  form: formSettings.describe(
    'What a view of type `form` asks for, at most 256 KiB as JSON. When it is given, it replaces the whole; parts that are absent are empty.',
  ),
}

const viewFields = z.object(fields).meta({ id: 'ViewFields', description: 'Settings of a view' })

const viewChanges = z
  .strictObject(z.object(fields).partial().shape)
  .meta({ id: 'ViewChanges', description: 'Settings of a view; absent ones keep their value' })

const newViewFields = z
  .strictObject({ ...z.object(fields).partial().shape, name: fields.name })
  .meta({ id: 'NewViewFields', description: 'Settings of a view to add' })

const viewId = z.int().min(1).describe('Id of the view')

/** Views to add. */
export const newViews = z.object({
  views: listOf(
    z.object({ fields: newViewFields }).meta({ id: 'NewView', description: 'View to add' }),
    viewBounds,
  ).describe('Views to add, in order'),
})

/** Changes of views. */
export const viewUpdates = z.object({
  views: listOf(
    z
      .object({ id: viewId, fields: viewChanges })
      .meta({ id: 'ViewUpdate', description: 'Changes of a view' }),
    viewBounds,
  ).describe('Views to change'),
})

/** Ids of the added views. */
export const viewIds = z.object({
  views: z.array(z.object({ id: viewId })).describe('Added views, in request order'),
})

/** Views of a table. */
export const views = z.object({
  views: z
    .array(
      z
        .object({
          id: z.int().describe('Id of the view, unique within the document'),
          fields: viewFields,
        })
        .meta({ id: 'View', description: 'View of a table' }),
    )
    .describe('Views of the table, by position'),
})

/** Converts settings of a view for document-data. */
export function toWireFields(changes: z.output<typeof viewChanges>): WireFields {
  const { filter, sort, columns, groupBy, summaries, form, ...rest } = changes
  return {
    ...rest,
    filterJson: filter && Buffer.from(JSON.stringify(filter)),
    formJson: form && Buffer.from(JSON.stringify(form)),
    sort: sort && { keys: sort },
    groupBy: groupBy && { keys: groupBy },
    summaries: summaries && {
      columns: Object.entries(summaries).map(([id, summary]) => ({ id, summary })),
    },
    columns: columns && {
      columns: columns.map(({ hidden = false, ...column }) => ({ ...column, hidden })),
    },
  }
}

/** Converts a view, which has all of its fields, to its JSON. */
export function toView({ id, fields: wire }: WireView): z.output<typeof views>['views'][number] {
  const { filterJson = '{}', formJson = '{}', ...lists } = wire ?? noLists
  const { sort, columns, groupBy, summaries, ...rest } = lists
  return {
    id,
    fields: {
      ...noFields,
      ...(rest as Partial<typeof noFields>),
      filter: JSON.parse(Buffer.from(filterJson).toString()) as Record<string, unknown>,
      form: JSON.parse(Buffer.from(formJson).toString()) as z.output<typeof formSettings>,
      sort: sort?.keys ?? [],
      groupBy: groupBy?.keys ?? [],
      summaries: Object.fromEntries(
        (summaries?.columns ?? []).map(({ id: column, summary }) => [column, summary]),
      ),
      columns: (columns?.columns ?? []).map(({ id: column, width, hidden }) => ({
        id: column,
        ...(width !== undefined && { width }),
        ...(hidden && { hidden }),
      })),
    },
  }
}

const noLists = WireFields.fromPartial({})

const noFields = {
  name: '',
  type: '',
  position: 0,
  description: '',
  frozenColumns: 0,
  rowHeight: '',
  wrapText: false,
}
