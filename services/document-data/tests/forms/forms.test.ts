import { Cause } from '@sheaf/protos/sheaf/events/v1/changes'
import { ActionsServiceService } from '@sheaf/protos/sheaf/document_data/v1/actions'
import { AttachmentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ChangesServiceService } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ColumnsServiceService } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/documents'
import {
  HistoryServiceService,
  ListHistoryRequest,
} from '@sheaf/protos/sheaf/document_data/v1/history'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import { RecordsServiceService } from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { HOME, newColumns, TestInstance, type TestClients } from '../support/test-instance'

interface Rpc {
  readonly requestStream: boolean
  readonly requestDeserialize: (bytes: Buffer) => object
}

const services: Readonly<Record<string, Readonly<Record<string, Rpc>>>> = {
  actions: ActionsServiceService,
  attachments: AttachmentsServiceService,
  changes: ChangesServiceService,
  columns: ColumnsServiceService,
  documents: DocumentsServiceService,
  history: HistoryServiceService,
  records: RecordsServiceService,
  sql: SqlServiceService,
  tables: TablesServiceService,
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const choices = { widgetOptions: JSON.stringify({ choices: ['tea', 'coffee'] }) }
const columns = newColumns([
  { id: 'Name', fields: { type: 'Text', label: 'Full name' } },
  { id: 'Guests', fields: { type: 'Int' } },
  { id: 'Price', fields: { type: 'Numeric' } },
  { id: 'Share', fields: { type: 'Numeric', widgetOptions: '{"numMode":"percent"}' } },
  { id: 'Agreed', fields: { type: 'Bool' } },
  { id: 'Day', fields: { type: 'Date' } },
  { id: 'At', fields: { type: 'DateTime:Europe/Berlin' } },
  { id: 'Drink', fields: { type: 'Choice', ...choices } },
  { id: 'Drinks', fields: { type: 'ChoiceList', ...choices } },
  { id: 'Secret', fields: { type: 'Text' } },
  { id: 'Friend', fields: { type: 'Ref:Guests' } },
  { id: 'File', fields: { type: 'Attachments' } },
  { id: 'Double', fields: { type: 'Any', isFormula: true, formula: '$Guests * 2' } },
])
const ASKED = ['Name', 'Guests', 'Price', 'Agreed', 'Day', 'At', 'Drink', 'Drinks']
const notFound = { code: 'not_found', reason: 'FORM_NOT_FOUND', message: 'form not found' }

describe('a form', () => {
  let test: TestInstance
  let clients: TestClients
  let docId: string
  let viewId: number
  beforeAll(async () => {
    test = await TestInstance.start()
    clients = test.clients
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(async () => {
    docId = await clients.createDocument()
    const call = await clients.as(docId, 'editors')
    await clients.tables.addTables({ docId, tables: [{ id: 'Guests', columns }] }, call)
    viewId = await addView({ fields: ASKED.map((id) => ({ id, required: id === 'Name' })) })
  })

  const addView = async (form: object, type = 'form') => {
    const views = [{ name: `v${Math.random()}`, type, formJson: json(form) }]
    const request = { docId, tableId: 'Guests', views: views as never }
    const { viewIds } = await clients.tables.addViews(request, await clients.as(docId, 'editors'))
    return viewIds[0] ?? 0
  }
  /** What someone with the key of a form carries. */
  const visitor = async (formViewId = viewId, of = docId) => {
    const anonymous = { userId: 99, email: 'anon@getgrist.com', name: 'Anonymous', anonymous: true }
    const token = await test.authority.sign({ ...anonymous, docId: of, home: HOME, formViewId })
    return { token }
  }
  const read = async (id = viewId) => {
    const { formJson } = await clients.forms.getForm({ docId, viewId: id }, await visitor(id))
    return JSON.parse(Buffer.from(formJson).toString()) as { fields: { id: string }[] }
  }
  const send = async (values: unknown, options?: WriteOptions) =>
    clients.forms.addFormRow({ docId, viewId, valuesJson: json(values), options }, await visitor())
  const rows = async () => (await clients.read(docId, 'Guests')).map(({ fields }) => fields)

  it('tells what it asks, and nothing else of its table', async () => {
    const form = {
      title: 'Party',
      description: 'Come',
      submit: 'Go',
      message: 'Thanks',
      again: true,
    }
    const fields = [
      { id: 'Name', help: 'As on your pass', required: true },
      { id: 'At', label: 'When?' },
      { id: 'Drinks' },
      { id: 'Share' },
    ]
    const id = await addView({ ...form, fields })
    const none = { help: '', required: false, multiline: false }
    expect(await read(id)).toEqual({
      ...form,
      fields: [
        {
          ...none,
          id: 'Name',
          label: 'Full name',
          help: 'As on your pass',
          required: true,
          type: 'Text',
        },
        { ...none, id: 'At', label: 'When?', type: 'DateTime', timeZone: 'Europe/Berlin' },
        { ...none, id: 'Drinks', label: 'Drinks', type: 'ChoiceList', choices: ['tea', 'coffee'] },
        { ...none, id: 'Share', label: 'Share', type: 'Numeric', percent: true },
      ],
    })
  })

  it('adds one row with what was entered, as a change with a cause of its own', async () => {
    const values = {
      Name: 'Ada',
      Guests: 2,
      Price: 1.5,
      Agreed: true,
      Day: '2026-03-01',
      At: '2026-03-01T09:30',
      Drink: 'tea',
      Drinks: ['coffee', 'tea', 'tea'],
    }
    await send(values)
    await send({ Name: 'Bob', Guests: null, Drink: '', Drinks: [] })
    expect(await rows()).toMatchObject([
      {
        ...{ Name: 'Ada', Guests: 2, Price: 1.5, Agreed: true, Drink: 'tea', Secret: '' },
        ...{ Day: 1772323200, At: 1772353800, Drinks: ['L', 'coffee', 'tea'], Double: 4 },
      },
      { Name: 'Bob', Guests: 0, Agreed: false, Drink: '', Drinks: null, Day: null },
    ])
    const call = await clients.as(docId, 'owners')
    const history = await clients.history.listHistory(
      ListHistoryRequest.fromPartial({ docId }),
      call,
    )
    expect(history.changes[0]).toMatchObject({ userId: 99, cause: Cause.FORM })
  })

  it('keeps text as it is, whatever it looks like', async () => {
    await send({ Name: '=1+1' })
    await send({ Name: '["L",1]' })
    expect((await rows()).map(({ Name }) => Name)).toEqual(['=1+1', '["L",1]'])
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no required value', {}, 'Name'],
    ['blanks for a required value', { Name: ' \n' }, 'Name'],
    ['a number for text', { Name: 5 }, 'Name'],
    ['too long a text', { Name: 'x'.repeat(20_001) }, 'Name'],
    ['text for a number', { Name: 'a', Price: '5' }, 'Price'],
    ['a fraction for a whole number', { Name: 'a', Guests: 1.5 }, 'Guests'],
    ['too large a whole number', { Name: 'a', Guests: 2 ** 31 }, 'Guests'],
    ['text for a box', { Name: 'a', Agreed: 'yes' }, 'Agreed'],
    ['a day that does not exist', { Name: 'a', Day: '2026-02-30' }, 'Day'],
    ['another form of a day', { Name: 'a', Day: '1.3.2026' }, 'Day'],
    ['a number for a day', { Name: 'a', Day: 5 }, 'Day'],
    ['a day of the year 0', { Name: 'a', Day: '0000-01-01' }, 'Day'],
    ['an offset that no place has', { Name: 'a', At: '2026-03-01T09:30+23:59' }, 'At'],
    ['an hour that does not exist', { Name: 'a', At: '2026-03-01T24:30' }, 'At'],
    ['an unknown choice', { Name: 'a', Drink: 'beer' }, 'Drink'],
    ['an unknown choice in a list', { Name: 'a', Drinks: ['tea', 'beer'] }, 'Drinks'],
    ['text for a list', { Name: 'a', Drinks: 'tea' }, 'Drinks'],
    ['an object for text', { Name: { a: 1 } }, 'Name'],
    ['a column that is not asked', { Name: 'a', Secret: 'x' }, 'Secret'],
    ['a computed column', { Name: 'a', Double: 4 }, 'Double'],
    ['the row id', { Name: 'a', id: 7 }, 'id'],
    ['the position of the row', { Name: 'a', manualSort: 7 }, 'manualSort'],
    [
      'a name of objects',
      JSON.parse('{"Name":"a","__proto__":1}') as object & Record<string, unknown>,
      '__proto__',
    ],
  ])('refuses %s, and names the field', async (_, values, field) => {
    await expect(send(values)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'INVALID_FORM_VALUE',
      metadata: { field },
      message: expect.stringContaining(`"${field}"`) as string,
    })
    expect(await rows()).toEqual([])
  })

  it('refuses what is no object, and text that is not well-formed', async () => {
    for (const values of [[], null, 'x'])
      await expect(send(values)).rejects.toMatchObject({ code: 'invalid' })
    await expect(send({ Name: '\ud800' })).rejects.toMatchObject({ reason: 'MALFORMED_JSON' })
  })

  it('can ask for consent', async () => {
    viewId = await addView({ fields: [{ id: 'Agreed', required: true }] })
    await expect(send({ Agreed: false })).rejects.toMatchObject({ metadata: { field: 'Agreed' } })
    await send({ Agreed: true })
  })

  it('adds one row however often it is sent with the same key', async () => {
    const requestDigest = Buffer.alloc(32, 1)
    const options = {
      ifMatch: [],
      strict: false,
      dryRun: false,
      idempotencyKey: 'k',
      requestDigest,
    }
    await send({ Name: 'once' }, options)
    await send({ Name: 'once' }, options)
    expect(await rows()).toHaveLength(1)
  })

  it('follows its columns: renamed, removed, and no longer fillable', async () => {
    const call = await clients.as(docId, 'editors')
    const update = (id: string, fields: object) =>
      clients.columns.updateColumns(
        { docId, tableId: 'Guests', columns: newColumns([{ id, fields }]) },
        call,
      )
    await update('Name', { colId: 'Person' })
    await update('Price', { isFormula: true, formula: '$Guests' })
    await clients.columns.deleteColumn({ docId, tableId: 'Guests', columnId: 'Day' }, call)
    const asked = (await read()).fields.map(({ id }) => id)
    expect(asked).toEqual(['Person', 'Guests', 'Agreed', 'At', 'Drink', 'Drinks'])
    await expect(send({ Name: 'a' })).rejects.toMatchObject({ metadata: { field: 'Name' } })
    await expect(send({ Person: 'a', Price: 1 })).rejects.toMatchObject({
      metadata: { field: 'Price' },
    })
    await send({ Person: 'a' })
  })

  it.each<[string, object, string]>([
    ['a column that does not exist', { fields: [{ id: 'Nope' }] }, 'UNKNOWN_COLUMN'],
    ['a column that nobody sees', { fields: [{ id: 'manualSort' }] }, 'UNKNOWN_COLUMN'],
    ['a reference', { fields: [{ id: 'Friend' }] }, 'BAD_FIELD'],
    ['attachments', { fields: [{ id: 'File' }] }, 'BAD_FIELD'],
    ['a formula', { fields: [{ id: 'Double' }] }, 'BAD_FIELD'],
    ['a column twice', { fields: [{ id: 'Name' }, { id: 'Name' }] }, 'BAD_FIELD'],
    ['too long a title', { title: 'x'.repeat(201) }, 'BAD_FIELD'],
    ['a title that is no text', { title: 5 }, 'BAD_FIELD'],
    ['a flag that is none', { again: 'yes' }, 'BAD_FIELD'],
    ['an unknown setting', { colour: 'red' }, 'BAD_FIELD'],
    ['an unknown setting of a field', { fields: [{ id: 'Name', x: 1 }] }, 'BAD_FIELD'],
    ['fields that are no list', { fields: 'Name' }, 'BAD_FIELD'],
  ])('cannot be set up with %s', async (_, form, reason) => {
    await expect(addView(form)).rejects.toMatchObject({ code: 'invalid', reason })
  })

  it('is found by the key of that form only, or by a role on the document', async () => {
    const other = await addView({ fields: [{ id: 'Secret' }] })
    const grid = await addView({}, 'grid')
    await expect(read(grid)).rejects.toMatchObject(notFound)
    await expect(read(12_345)).rejects.toMatchObject(notFound)
    const denied = { code: 'forbidden' }
    const { forms } = clients
    await expect(forms.getForm({ docId, viewId: other }, await visitor())).rejects.toMatchObject(
      denied,
    )
    const elsewhere = await clients.createDocument()
    const form = { docId: elsewhere, viewId }
    await expect(forms.getForm(form, await visitor())).rejects.toMatchObject(denied)
    const viewer = await clients.as(docId, 'viewers')
    expect(await forms.getForm({ docId, viewId }, viewer)).toBeDefined()
    const row = { docId, viewId, valuesJson: json({ Name: 'a' }) }
    await expect(forms.addFormRow(row, viewer)).rejects.toMatchObject(denied)
    await forms.addFormRow(row, await clients.as(docId, 'editors'))
  })

  it.each(
    Object.entries(services).flatMap(([client, definition]) =>
      Object.entries(definition)
        .filter(([, { requestStream }]) => !requestStream)
        .map(([name, rpc]) => [client, name, rpc] as const),
    ),
  )('its key does not open %s.%s', async (client, name, rpc) => {
    const request = { ...rpc.requestDeserialize(Buffer.alloc(0)), docId, tableId: 'Guests' }
    const methods = clients[client as 'tables'] as unknown as Record<
      string,
      (request: object, call: object) => Promise<unknown> | AsyncIterable<unknown>
    >
    const answer = methods[name]?.(request, await visitor())
    const reading = async () => {
      if (answer && Symbol.asyncIterator in answer) await answer[Symbol.asyncIterator]().next()
      else await answer
    }
    await expect(reading()).rejects.toMatchObject({ code: 'forbidden' })
  })
})
