import ExcelJS from 'exceljs'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import { ColumnUpdate } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { ExportServiceClientImpl, HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { TestInstance } from './test-instance'
import { buildWorkers } from './test-store'

/** Seconds in a day. */
export const DAY = 86_400

/** One column of every type. */
export const types = {
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
/** Rows with odd and even cells of each; what does not fit is kept as text. */
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
  {
    T: 'no number <&> \u0001 _x0041_',
    N: 'many',
    I: 'some',
    B: 'maybe',
    D: 'soon',
    R: 'who',
    Y: true,
  },
  { T: null, L: 'no list', RL: 'nobody', Y: ['D', 1_705_312_800, 'UTC'] },
]

/** What is asked of a table as text. */
interface Asked {
  readonly header?: HeaderStyle
  readonly delimiter?: string
  readonly rowIds?: boolean
}

/** An instance whose documents are exported, with one document that has a table of every type. */
export class TestExports implements AsyncDisposable {
  readonly exports: ExportServiceClientImpl

  private constructor(
    readonly instance: TestInstance,
    private readonly channel: GrpcChannel,
    /** Has the tables Table1, People and Every. */
    readonly docId: string,
  ) {
    this.exports = new ExportServiceClientImpl(channel)
  }

  static async start(): Promise<TestExports> {
    buildWorkers()
    const instance = await TestInstance.start()
    const { clients } = instance
    const docId = await clients.createDocument()
    await clients.addTable(docId, 'People', { Name: 'Text', Age: 'Int' })
    await clients.add(docId, 'People', [
      { Name: 'Ann', Age: 7 },
      { Name: 'Bo, "B"', Age: 8 },
    ])
    await clients.addTable(docId, 'Every', types)
    // One by one, because each row names other columns.
    for (const row of rows) await clients.add(docId, 'Every', [row], true)
    return new TestExports(instance, openChannel({ address: instance.service.address }), docId)
  }

  /** A table as text, with column ids and commas unless something else is asked. */
  async text(tableId: string, asked: Asked = {}, docId = this.docId): Promise<string> {
    const request = {
      docId,
      tableId,
      header: HeaderStyle.COL_ID,
      delimiter: ',',
      rowIds: false,
      standard: false,
      viewSection: 0,
      ...asked,
    }
    const call = await this.instance.clients.as(docId, 'viewers')
    return (await takeBytes(this.exports.exportTable(request, call))).toString()
  }

  /** A table, or all tables, as sheets. */
  async sheets(tableId = '', docId = this.docId): Promise<ExcelJS.Workbook> {
    const request = { docId, tableId, header: HeaderStyle.COL_ID, viewSection: 0 }
    const call = await this.instance.clients.as(docId, 'viewers')
    const workbook = new ExcelJS.Workbook()
    const bytes = await takeBytes(this.exports.exportWorkbook(request, call))
    await workbook.xlsx.load(bytes as unknown as ArrayBuffer)
    return workbook
  }

  /** Changes columns of a table; fields as the protos name them. */
  async change(
    docId: string,
    tableId: string,
    columns: readonly { id: string; fields: object }[],
  ): Promise<void> {
    const updates = columns.map((column) => ColumnUpdate.fromPartial(column))
    const { clients } = this.instance
    const call = await clients.as(docId, 'editors')
    await clients.columns.updateColumns({ docId, tableId, columns: updates }, call)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
    await this.instance[Symbol.asyncDispose]()
  }
}

/** All bytes of a file. */
export async function takeBytes(messages: AsyncIterable<{ chunk: Buffer }>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const { chunk } of messages) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The rows of a sheet as plain values: dates as ISO text, blanks as null. */
export function sheetRows(sheet: ExcelJS.Worksheet | undefined): unknown[][] {
  const width = sheet?.columnCount ?? 0
  const found: unknown[][] = []
  sheet?.eachRow((row) => {
    const cells = Array.from({ length: width }, (_, i) => row.getCell(i + 1).value)
    found.push(cells.map((cell) => (cell instanceof Date ? cell.toISOString() : cell)))
  })
  return found
}

/** The text that a cell means where the format has it escaped, which this reader leaves to its caller. */
export function unescaped(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell
  return cell.replace(/_x([0-9A-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
}
