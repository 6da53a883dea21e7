import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Sheaf, type Doc } from '@sheaf/client'
import { homeWorkspace, useSystem } from '../support/system'

/* examples/nightly-parquet.mjs, run as its readers run it. */

const system = useSystem()
const run = promisify(execFile)
const reader = join(__dirname, '../support/read-parquet-process.mjs')
const script = join(__dirname, '../../examples/nightly-parquet.mjs')

let doc: Doc
let folder = ''
beforeEach(async () => {
  const { url, ownerKey: key } = system.sheaf
  const workspaceId = await homeWorkspace(system.alice.rest)
  doc = await new Sheaf({ url, key }).documents.create({ workspaceId, name: 'Exported' })
  await doc.addTables([
    {
      id: 'People',
      columns: [
        { id: 'Name', fields: { type: 'Text' } },
        { id: 'Born', fields: { type: 'Date' } },
        { id: 'Tags', fields: { type: 'ChoiceList' } },
        { id: 'Boss', fields: { type: 'Ref:People' } },
        { id: 'Upper', fields: { isFormula: true, formula: '$Name.upper()', type: 'Text' } },
      ],
    },
    { id: 'Empty', columns: [{ id: 'Seen', fields: { type: 'DateTime:Europe/Berlin' } }] },
  ])
  folder = await mkdtemp(join(tmpdir(), 'sheaf-parquet-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs the script; rejects with its exit code and its messages when it fails. */
function exportDocument(url = system.sheaf.url): Promise<{ stdout: string }> {
  const { ownerKey: KEY } = system.sheaf
  const env = { PATH: process.env.PATH, URL: url, KEY, DOC: doc.id, FOLDER: folder }
  return run(process.execPath, [script], { env })
}

interface Export {
  readonly columns: readonly string[]
  readonly rows: readonly Record<string, unknown>[]
  readonly metadata: Readonly<Record<string, string>>
}

async function readExport(tableId: string): Promise<Export> {
  const args = [reader, join(folder, `${tableId}.parquet`)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 4 * 1024 * 1024 })
  return JSON.parse(stdout) as Export
}

/** The records of the table People in the form of its export. */
async function recordsOfPeople() {
  const { records, seq } = await doc.table('People').page({ limit: 10_000 })
  const rows = records.map(({ id, fields: { Name, Born, Tags, Boss, Upper } }) => ({
    ...{ id, Name, Boss, Upper },
    Born: typeof Born === 'number' ? Born * 1_000 : null,
    Tags: Array.isArray(Tags) ? Tags.slice(1) : null,
    _unparsed: typeof Born === 'string' ? JSON.stringify({ Born }) : null,
  }))
  return { rows, seq }
}

/** A gateway to Sheaf that refuses to read the records of one table. */
async function refuseTable(tableId: string): Promise<Server> {
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    if (url.includes(`/tables/${tableId}/records`)) return void response.writeHead(403).end()
    const { authorization = '', accept = '' } = headers
    void fetch(system.sheaf.url + url, { headers: { authorization, accept } }).then(
      async (answer) => {
        const etag = answer.headers.get('etag') ?? ''
        response.writeHead(answer.status, { etag }).end(Buffer.from(await answer.arrayBuffer()))
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

it('exports each table with its values and types, also a table without rows', async () => {
  const people = doc.table('People')
  await people.add([
    { Name: 'Ada', Born: '1815-12-10', Tags: ['L', 'a', 'b'] },
    { Name: '', Born: 'unknown', Boss: 1 },
  ])
  await people.add(Array.from({ length: 3_000 }, (_, index) => ({ Name: `é${index}` })))
  const { rows, seq } = await recordsOfPeople()
  const { stdout } = await exportDocument()
  expect(stdout).toMatch(/^Table1: 0 rows, \d+ bytes\nPeople: 3002 rows, \d+ bytes\nEmpty: 0 rows/)
  const exported = await readExport('People')
  expect(exported.rows).toEqual(rows)
  expect(exported.metadata).toMatchObject({ 'sheaf.document': doc.id, 'sheaf.seq': String(seq) })
  expect(await readExport('Empty')).toMatchObject({
    rows: [],
    columns: ['id', 'Seen', '_unparsed'],
  })
})

it('exports all tables as of the same change, also while they are written', async () => {
  let isExported = false
  const writing = (async () => {
    while (!isExported)
      await doc.batch([
        { op: 'addRecords', table: 'People', records: [{ fields: {} }] },
        { op: 'addRecords', table: 'Empty', records: [{ fields: {} }] },
      ])
  })()
  await exportDocument()
  isExported = true
  await writing
  const [people, others] = [await readExport('People'), await readExport('Empty')]
  expect(people.rows).toHaveLength(others.rows.length)
  expect(people.metadata['sheaf.seq']).toBe(others.metadata['sheaf.seq'])
})

it('replaces the files of the last export, but leaves all of them when it fails', async () => {
  await exportDocument()
  await doc.table('Table1').add([{ A: 'first' }])
  await exportDocument()
  await doc.table('Table1').add([{ A: 'second' }])
  const server = await refuseTable('People')
  const { port } = server.address() as AddressInfo
  await expect(exportDocument(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining('Table1: 2 rows') as string,
    stderr: expect.stringContaining('the export failed: ') as string,
  })
  server.close()
  expect((await readExport('Table1')).rows).toMatchObject([{ A: 'first' }])
  expect((await readdir(folder)).sort()).toEqual([
    'Empty.parquet',
    'People.parquet',
    'Table1.parquet',
  ])
})
