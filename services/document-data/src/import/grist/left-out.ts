import { quoteId } from '../../quoting/quote'
import type { ImportNotes } from '../import-notes'
import type { UploadedDatabase } from '../sqlite/uploaded-database'

/** Parts of a Grist document that are not imported. `columns` are those that the condition needs. */
const parts: readonly {
  readonly table: string
  readonly one: string
  readonly many: string
  readonly columns?: readonly string[]
  readonly where?: string
}[] = [
  { table: '_grist_Pages', one: 'page', many: 'pages' },
  {
    table: '_grist_Views_section',
    one: 'widget of a page',
    many: 'widgets of pages',
    columns: ['parentId'],
    where: 'parentId > 0',
  },
  {
    table: '_grist_Filters',
    one: 'filter of a widget',
    many: 'filters of widgets',
    columns: ['filter'],
    where: `filter <> ''`,
  },
  {
    table: '_grist_ACLRules',
    one: 'access rule',
    many: 'access rules',
    columns: ['permissionsText', 'userAttributes'],
    where: `permissionsText <> '' OR userAttributes <> ''`,
  },
  { table: '_grist_Triggers', one: 'webhook', many: 'webhooks' },
  { table: '_grist_Cells', one: 'comment', many: 'comments' },
  { table: '_grist_Shares', one: 'published form', many: 'published forms' },
  { table: '_gristsys_PluginData', one: 'setting of a plugin', many: 'settings of plugins' },
  { table: '_gristsys_ActionHistory', one: 'entry of the history', many: 'entries of the history' },
]

/** Names the parts of a Grist document that are not imported. */
export function noteLeftOut(source: UploadedDatabase, notes: ImportNotes): void {
  for (const { table, one, many, columns = [], where = 'true' } of parts) {
    if (!source.has(table)) continue
    const there = new Set(source.columnsOf(table).flatMap((c) => (c.isPlain ? c.name : [])))
    if (columns.some((column) => !there.has(column))) continue
    const count = source.db
      .prepare<[], number>(`SELECT count(*) FROM ${quoteId(table)} WHERE ${where}`)
      .pluck()
      .get()
    if (count) notes.add(`left out: ${count.toLocaleString('en-US')} ${count === 1 ? one : many}`)
  }
}
