import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../src/program'

const made = {
  id: 'doc-1',
  title: 'My cities',
  tables: [{ id: 'Cities', rows: 1234 }],
  notes: [] as string[],
}
const lines = [
  { progress: { rowsRead: 1234, rowsStored: 0 } },
  { progress: { rowsRead: 1234, rowsStored: 600 } },
]

type Answer = (response: ServerResponse) => void

const json = (status: number, body: object): Answer => {
  return (response) => response.writeHead(status).end(JSON.stringify(body))
}

/** What is sent line by line, as the server does once it has begun to tell its progress. */
const told = (...values: object[]): Answer => {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const value of values) response.write(`${JSON.stringify(value)}\n`)
    response.end()
  }
}

describe('import', () => {
  let folder: string
  let server: Server
  let answer: Answer
  let form: { path?: string; accept?: string; fields: Record<string, string>; fileName: string }
  let out: string[]
  let err: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-import-'))
    server = createServer((request, response) => void serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/api/orgs/current/workspaces') return json(200, [{ id: 7 }])(response)
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const data = await new Response(Buffer.concat(chunks), { headers }).formData()
    const upload = data.get('upload') as File
    const fields = [...data].filter(([, value]) => typeof value === 'string')
    form = {
      path: request.url,
      accept: request.headers.accept,
      fields: { upload: await upload.text(), ...(Object.fromEntries(fields) as object) },
      fileName: upload.name,
    }
    answer(response)
  }

  async function run(...args: string[]): Promise<number> {
    out = []
    err = []
    const { port } = server.address() as AddressInfo
    return runCli(['import', ...args], {
      env: { SHEAF_URL: `http://127.0.0.1:${port}`, SHEAF_API_KEY: 'alice' },
      cwd: folder,
      terminal: { out: (text) => out.push(text), err: (text) => err.push(text) },
    })
  }

  it('sends the file as a form, and says what was made of it', async () => {
    await writeFile(join(folder, 'Städte "1".csv'), 'a,b\n1,2\n')
    answer = told(...lines, { document: made })
    expect(await run('Städte "1".csv', '--name', 'My cities', '--workspace', '12')).toBe(0)
    expect(form).toEqual({
      path: '/api/workspaces/12/import',
      accept: 'application/x-ndjson',
      fields: { name: 'My cities', upload: 'a,b\n1,2\n' },
      fileName: 'Städte "1".csv',
    })
    expect(out.join('\n')).toMatch(
      /^1,234 rows in table Cities\ncreated document doc-1, "My cities" \(\d+\.\d s\)$/,
    )
    expect(err).toEqual([])
  })

  it('goes to the first workspace, and prints JSON when asked to', async () => {
    await writeFile(join(folder, 'big.csv'), Buffer.alloc(3_000_000, 'a,b\n'))
    answer = told({ document: made })
    expect(await run('big.csv', '--json')).toBe(0)
    expect(form.path).toBe('/api/workspaces/7/import')
    expect(form.fields.upload?.length).toBe(3_000_000)
    expect(JSON.parse(out.join())).toEqual(made)
  })

  it('appends rows to a table of a document, with the options of the API', async () => {
    await writeFile(join(folder, 'june.csv'), 'Item;Price\nPear;1,5\n')
    const imported = { tables: [{ id: 'Sales', rows: 1 }], seq: 42, notes: ['left out: 3 pages'] }
    answer = told(...lines, { imported })
    const reading = ['--delimiter', 'tab', '--decimal', ',', '--encoding', 'utf-8', '--no-header']
    const types = { June: { Price: 'Text' } }
    const columns = { Item: 'Product', Note: null }
    const into = [
      '--doc',
      'd/1',
      '--table',
      'Sales',
      '--source',
      'June',
      '--unknown-columns',
      'add',
    ]
    const objects = ['--types', JSON.stringify(types), '--columns', JSON.stringify(columns)]
    expect(await run('june.csv', ...reading, ...into, ...objects)).toBe(0)
    expect(form.path).toBe('/api/docs/d%2F1/import')
    expect(JSON.parse(form.fields.options ?? '')).toEqual({
      ...{ delimiter: '\t', decimal: ',', encoding: 'utf-8', header: false, types },
    })
    expect(JSON.parse(form.fields.target ?? '')).toEqual({
      ...{ table: 'Sales', source: 'June', unknownColumns: 'add', columns },
    })
    expect(out.join('\n')).toMatch(
      /^1 row in table Sales\nleft out: 3 pages\nimported into document d\/1 as change 42 \(\d+\.\d s\)$/,
    )
  })

  it('prints what a file would become, and sends it nowhere else', async () => {
    await writeFile(join(folder, 'p.csv'), 'x')
    const fields = { label: 'Item', widgetOptions: '' }
    const preview = {
      format: 'csv',
      options: { delimiter: ';', header: true },
      tables: [
        {
          id: 'P',
          rows: 1200,
          columns: [
            { id: 'Item', fields: { ...fields, type: 'Text' } },
            { id: 'Price', fields: { ...fields, type: 'Numeric' } },
            { id: 'Since', fields: { ...fields, type: 'Date' } },
          ],
          records: [
            { id: 1, fields: { Item: 'Pear\n\u001b[31m', Price: 1.5, Since: 86400 } },
            { id: 2, fields: { Item: 'Plum', Price: null, Since: null } },
          ],
        },
      ],
      hasMore: false,
      notes: ['left out: 1 image'],
    }
    answer = json(200, preview)
    expect(await run('p.csv', '--preview', '--workspace', '3', '--name', 'P')).toBe(0)
    expect(form.path).toBe('/api/workspaces/3/import/preview')
    // The form of a preview has no name.
    expect(form.fields).not.toHaveProperty('name')
    expect(out.join('\n').split('\n')).toEqual([
      'format csv, delimiter ";", header true',
      '',
      'table P, 1,200 rows',
      'COLUMN  TYPE     FIRST CELLS',
      'Item    Text     Pear [31m, Plum',
      'Price   Numeric  1.5, null',
      'Since   Date     1970-01-02, null',
      'left out: 1 image',
    ])
    expect(await run('p.csv', '--preview', '--doc', 'd', '--json')).toBe(0)
    expect([form.path, JSON.parse(out.join())]).toEqual(['/api/docs/d/import/preview', preview])
  })

  it.each([
    [['--table', 'Sales'], '--table needs the document of the table: use --doc'],
    [['--doc', 'd', '--name', 'x'], 'cannot be combined with --doc'],
    [['--doc', 'd', '--columns', '{}'], 'need --table'],
    [['--types', '[]'], 'It must be a JSON object.'],
    [['--columns', '{'], 'It must be JSON.'],
    [['--decimal', ';'], 'Allowed choices are ., ,.'],
  ])('refuses %j before the file is sent', async (args, message) => {
    await writeFile(join(folder, 'a.csv'), 'a\n')
    expect(await run('a.csv', ...args)).toBe(2)
    expect(err.join()).toContain(message)
  })

  it.each<[string, Answer, string]>([
    [
      'at once',
      json(400, { error: 'line 3: bad', details: { reason: 'INVALID_FILE' } }),
      'the server returned 400: line 3: bad',
    ],
    [
      'later',
      told(...lines, { error: 'line 9: bad', details: { status: 413, reason: 'FILE_TOO_LARGE' } }),
      'the server returned 413: line 9: bad',
    ],
    [
      'for the key',
      json(401, { error: 'no', details: { reason: 'UNKNOWN_KEY' } }),
      'the server returned 401: no (check the API key)',
    ],
    ['by breaking off', told(...lines), 'the server sent an unexpected response'],
    ['by hanging up', (response) => response.destroy(), 'no response from'],
  ])('tells why it was refused: %s', async (_, given, message) => {
    await writeFile(join(folder, 'a.csv'), 'a\n')
    answer = given
    expect(await run('a.csv')).toBe(1)
    expect(err.join()).toContain(message)
    expect(out).toEqual([])
  })

  it('says what is wrong with the file, or the way it is used', async () => {
    expect(await run('none.csv')).toBe(1)
    expect(err.join()).toMatch(/^file not found: .*none\.csv$/)
    expect(await run('.')).toBe(1)
    expect(err.join()).toMatch(/is a folder$/)
    expect(await run()).toBe(2)
    await writeFile(join(folder, 'a.csv'), 'a\n')
    expect(await run('a.csv', '--url', 'http://127.0.0.1:2', '--workspace', '1')).toBe(1)
    expect(err.join()).toBe('no response from http://127.0.0.1:2: ECONNREFUSED')
  })
})
