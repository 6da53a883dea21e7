import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { CellFormat, RecordsForm } from '@sheaf/protos/sheaf/document_data/v1/records'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TestInstance } from '../support/test-instance'

/** More reads than replies are kept, so that those before are forgotten. */
const OTHERS = 40

let instance: TestInstance
let docId = ''
beforeAll(async () => {
  instance = await TestInstance.start()
})
afterAll(() => instance[Symbol.asyncDispose]())
beforeEach(async () => {
  const { clients } = instance
  docId = await clients.createDocument()
  await clients.addTable(docId, 'Pets', {
    Name: 'Text',
    Age: 'Any',
    Kind: 'Choice',
    At: 'DateTime',
  })
  const ages = [null, 5, '5', true, 1, 'Infinity', '1n', ['L', 1]]
  const rows = ages.map((Age, i) => ({
    Name: `pet ${i % 3}`,
    Age,
    Kind: 'ba'[i % 2],
    At: i * 1000,
  }))
  await clients.add(docId, 'Pets', rows, true)
})

/** One question in every form in which it can be put. */
function questions(column: string): Partial<ReadRecordsRequest>[] {
  const view = {
    fields: [] as string[],
    onlyFields: false,
    count: false,
    cursor: undefined,
    offset: 0,
  }
  const filter = (values: unknown[]) => ({
    filterJson: Buffer.from(JSON.stringify({ [column]: values })),
  })
  return [
    {},
    { hidden: true },
    { cellFormat: CellFormat.TYPED },
    { form: RecordsForm.COLUMNS },
    { form: RecordsForm.COLUMNS, cellFormat: CellFormat.TYPED },
    { limit: 3 },
    { limit: 3, view: { ...view, count: true } },
    { limit: 3, view: { ...view, cursor: '' } },
    { limit: 3, view: { ...view, cursor: '', count: true } },
    { view: { ...view, onlyFields: true } },
    { view: { ...view, onlyFields: true, fields: [column] } },
    { view: { ...view, onlyFields: true, fields: ['Kind'] } },
    { sort: [column] },
    { sort: [`-${column}`] },
    { sort: [`${column}:naturalSort`] },
    { sort: ['Kind:orderByChoice'] },
    ...[ResultFormat.NDJSON, ResultFormat.CSV, ResultFormat.ARROW].map((format) => ({ format })),
    ...[[null], [5], ['5'], [true], ['1n'], ['Infinity']].map(filter),
  ]
}

const ask = async (question: Partial<ReadRecordsRequest>, table: string) =>
  (await instance.clients.readText(docId, table, question)).text

const askAll = (column: string, table: string) =>
  Promise.all(questions(column).map((question) => ask(question, table)))

const changeColumns = async (columns: object[]) => {
  const request = {
    docId,
    tableId: 'Pets',
    columns: columns.map((column) => ColumnUpdate.fromPartial(column)),
  }
  await instance.clients.columns.updateColumns(request, await instance.clients.as(docId, 'editors'))
}

const choices = (list: string[]) => JSON.stringify({ choices: list })

it.each<[string, () => Promise<unknown>, string?, string?]>([
  ['no change', () => Promise.resolve()],
  ['a new row', () => instance.clients.add(docId, 'Pets', [{ Name: 'new' }])],
  ['a changed row', () => instance.clients.update(docId, 'Pets', [{ id: 2, fields: { Age: 6 } }])],
  ['a deleted row', () => instance.clients.remove(docId, 'Pets', [1])],
  [
    'a refused write',
    () => instance.clients.add(docId, 'Pets', [{ zz: 1 }]).catch(() => undefined),
  ],
  ['a renamed column', () => changeColumns([{ id: 'Age', fields: { colId: 'Years' } }]), 'Years'],
  [
    'columns that change places',
    async () => {
      await changeColumns([{ id: 'Age', fields: { colId: 'Away' } }])
      await changeColumns([{ id: 'Name', fields: { colId: 'Age' } }])
      await changeColumns([{ id: 'Away', fields: { colId: 'Name' } }])
    },
  ],
  ['a type that stores alike', () => changeColumns([{ id: 'Name', fields: { type: 'Choice' } }])],
  ['a type that stores otherwise', () => changeColumns([{ id: 'Age', fields: { type: 'Text' } }])],
  ['another zone', () => changeColumns([{ id: 'At', fields: { type: 'DateTime:Asia/Tokyo' } }])],
  [
    'another order of choices',
    () => changeColumns([{ id: 'Kind', fields: { widgetOptions: choices(['b', 'a']) } }]),
  ],
  [
    'a formula',
    () => changeColumns([{ id: 'Kind', fields: { isFormula: true, formula: '$Name' } }]),
  ],
  [
    'a renamed table',
    async () => {
      const { clients } = instance
      const tables = [{ id: 'Pets', tableId: 'Animals' }]
      await clients.tables.updateTables({ docId, tables }, await clients.as(docId, 'editors'))
    },
    'Age',
    'Animals',
  ],
])(
  'a reply that is kept is the one that a read gives, after %s',
  async (_, change, column = 'Age', table = 'Pets') => {
    await changeColumns([{ id: 'Kind', fields: { widgetOptions: choices(['a', 'b']) } }])
    await askAll('Age', 'Pets')
    await change()
    const first = await askAll(column, table)
    const kept = await askAll(column, table)
    await Promise.all(
      Array.from({ length: OTHERS }, (_, i) => ask({ limit: i + 1, hidden: true }, table)),
    )
    const read = await askAll(column, table)

    // What was asked before the change must not come back, nor one question's reply for another.
    expect(kept).toEqual(read)
    expect(first).toEqual(read)
  },
)
