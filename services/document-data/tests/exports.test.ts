import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import { ExportServiceClientImpl, HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc-client'
import { newColumns, TestInstance } from './test-instance'
import { buildWorkers } from './test-store'

const DAY = 86_400

/** One column of every type. */
const types = {
  T: 'Text',
  N: 'Numeric',
  I: 'Int',
  B: 'Bool',
  D: 'Date',
  U: 'DateTime:UTC',
  Z: 'DateTime:America/New_York',
  C: 'Choice',
  L: 'ChoiceList',
  R: 'Ref:People',
  RL: 'RefList:People',
  A: 'Attachments',
  Y: 'Any',
}
const rows = [
  {
    T: 'plain',
    N: 0.1,
    I: -7,
    B: true,
    D: 19_737 * DAY,
    U: 1_705_312_800,
    Z: 1_705_312_800,
    C: 'red',
    L: ['L', 'a', 'b'],
    R: 1,
    RL: ['L', 1, 2],
    A: ['L', 3],
    Y: 5,
  },
  {
    T: 'says "hi", twice',
    N: 1e21,
    I: 0,
    B: false,
    D: -DAY * 40_000,
    U: 0.5,
    Z: 0,
    C: '',
    L: ['L', 'x, y', 'q"q'],
    R: 0,
    RL: null,
    A: null,
    Y: ['L', 1, 'b', true],
  },
  { T: 'line\nbreak\r', N: 1 / 3, B: null, Y: ['d', 19_737 * DAY] },
  { T: 'no number <&> \u0001 _x0041_', N: 'many', I: 'some', B: 'maybe', D: 'soon', R: 'who', Y: true },
  { T: null, L: 'no list', RL: 'nobody', Y: ['D', 1_705_312_800, 'UTC'] },
]

let instance: TestInstance
let channel: GrpcChannel
let exports: ExportServiceClientImpl
let docId = ''

beforeAll(async () => {
  buildWorkers()
  instance = await TestInstance.start()
  const { clients } = instance
  channel = openChannel({ address: instance.service.address })
  exports = new ExportServiceClientImpl(channel)
  docId = await clients.createDocument()
  await clients.addTable(docId, 'People', { Name: 'Text', Age: 'Int' })
  await clients.add(docId, 'People', [
    { Name: 'Ann', Age: 7 },
    { Name: 'Bo, "B"', Age: 8 },
  ])
  await clients.addTable(docId, 'Every', types)
  await addRows('Every', rows)
})

afterAll(async () => {
  await channel[Symbol.asyncDispose]()
  await instance[Symbol.asyncDispose]()
})

/** One by one, because each row names other columns. */
async function addRows(tableId: string, all: readonly object[]): Promise<void> {
  for (const row of all) await instance.clients.add(docId, tableId, [row], true)
}

const takeBytes = async (messages: AsyncIterable<{ chunk: Buffer }>) => {
  const chunks: Buffer[] = []
  for await (const { chunk } of messages) chunks.push(chunk)
  return Buffer.concat(chunks)
}

interface Asked {
  readonly header?: HeaderStyle
  readonly delimiter?: string
  readonly rowIds?: boolean
}

async function exportText(tableId: string, asked: Asked = {}, id = docId): Promise<string> {
  const request = {
    docId: id,
    tableId,
    header: HeaderStyle.COL_ID,
    delimiter: ',',
    rowIds: false,
    viewSection: 0,
    ...asked,
  }
  const bytes = await takeBytes(exports.exportTable(request, await instance.clients.as(id, 'viewers')))
  return bytes.toString()
}

async function exportSheets(tableId = '', id = docId): Promise<ExcelJS.Workbook> {
  const request = { docId: id, tableId, header: HeaderStyle.COL_ID, viewSection: 0 }
  const call = await instance.clients.as(id, 'viewers')
  const workbook = new ExcelJS.Workbook()
  const bytes = await takeBytes(exports.exportWorkbook(request, call))
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer)
  return workbook
}

describe('a table as CSV', () => {
  it('shows cells of every type as people see them', async () => {
    const lines = parse(await exportText('Every')) as string[][]
    console.log(JSON.stringify(lines, null, 1))
  })
  it('xlsx', async () => {
    const wb = await exportSheets()
    wb.eachSheet((s) => { console.log(s.name); s.eachRow((r) => console.log(JSON.stringify(r.values))) })
  })
})
