import fc from 'fast-check'
import type { DocumentWriter } from '../../src/store/document'
import type { Table } from '../../src/store/schema/schema'
import { isFillable } from '../../src/store/views/view-form'
import type { ViewChange } from '../../src/store/views/view-settings'
import { addViews, listViews, removeView, updateViews } from '../../src/store/views/views'
import type { Change } from './random-changes'

const index = fc.nat(7)
const at = <T>(items: readonly T[], n: number): T | undefined => items[n % items.length]

/** Settings of a view, as far as they name no columns. */
const settings = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'B', 'ü', ' x '),
    description: fc.string({ maxLength: 5, unit: 'grapheme' }),
    position: fc.constantFrom(-0, 0, 1, 1.5, -3, 1e300),
    frozenColumns: fc.nat(3),
    rowHeight: fc.constantFrom('short', 'medium', 'tall'),
    wrapText: fc.boolean(),
    type: fc.constantFrom('grid', 'board', 'form'),
  },
  { requiredKeys: [] },
)

function changeFor({ columns }: Table, c: number, others: ViewChange): ViewChange {
  const shown = columns.filter(({ hidden }) => !hidden)
  const [column, sibling] = [at(shown, c), at(shown, c + 1)]
  if (!column || !sibling || c % 3 === 0) return others
  const filter = { [column.id]: [1, 'x'], or: [{ [sibling.id]: [null] }, { id: [2] }] }
  return {
    ...others,
    filter: Buffer.from(JSON.stringify(c % 2 === 0 ? filter : {})),
    sort: [`-${column.id}`, `${sibling.id}:emptyLast`],
    groupBy: c % 2 === 0 ? [] : [`-${sibling.id}`],
    summaries: [{ id: column.id, summary: 'sum' }],
    ...(isFillable(column) && {
      form: Buffer.from(JSON.stringify({ fields: [{ id: column.id, required: c % 2 === 0 }] })),
    }),
    columns:
      column === sibling
        ? []
        : [
            { id: sibling.id, width: 90 },
            { id: column.id, hidden: true },
          ],
  }
}

const viewAt = (doc: DocumentWriter, { tableId }: Table, n: number) =>
  at(listViews(doc, tableId), n)?.id

/** Adds, changes or removes views. */
export const viewChanges: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom('add', 'add', 'update', 'update', 'remove'), index, index, index, settings)
  .map(([kind, t, c, v, others]) => (doc) => {
    const table = at(doc.schema.tables, t)
    if (!table) return
    const change = changeFor(table, c, others)
    const id = viewAt(doc, table, v)
    if (kind === 'add') addViews(doc, table.tableId, [{ ...change, name: change.name ?? `v${v}` }])
    else if (id === undefined) return
    else if (kind === 'update') updateViews(doc, table.tableId, [{ id, change }])
    else removeView(doc, table.tableId, id)
  })
