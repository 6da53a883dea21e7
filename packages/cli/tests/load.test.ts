import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../src/program'
import { startRestStub, type RestStub } from './rest-stub'

describe('load', () => {
  let folder: string
  let stub: RestStub
  let out: string[]
  let err: string[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-load-'))
    stub = await startRestStub()
  })
  afterEach(async () => {
    await stub[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  const write = (content: string) => writeFile(join(folder, 'my cities.csv'), content)
  const numbers = (rows: number) =>
    `n\n${Array.from({ length: rows }, (_, i) => `${i + 1}\n`).join('')}`
  const stored = () => stub.tables[0]?.rows.map(({ n }) => n)
  const upTo = (rows: number) => Array.from({ length: rows }, (_, i) => i + 1)

  async function load(...options: string[]): Promise<number> {
    out = []
    err = []
    return runCli(['load', 'my cities.csv', ...options], {
      env: { SHEAF_URL: stub.url, SHEAF_API_KEY: 'alice', XDG_CACHE_HOME: join(folder, 'cache') },
      cwd: folder,
      terminal: { out: (text) => out.push(text), err: (text) => err.push(text) },
    })
  }

  it('makes a document and a table of guessed types, and stores every row', async () => {
    await write('city name,code,code,\nOslo,01,1,2.5\n"A ""b""",02,,\n')
    expect(await load('--json')).toBe(0)
    expect(JSON.parse(out.join())).toEqual({
      docId: 'doc-1',
      tableId: 'my_cities',
      rows: 2,
      seconds: expect.any(Number) as number,
    })
    const [table] = stub.tables
    expect(table?.columns.map(({ id, fields }) => [id, fields.label, fields.type])).toEqual([
      ['city_name', 'city name', 'Text'],
      ['code', 'code', 'Text'],
      ['code2', 'code', 'Int'],
      ['A', undefined, 'Numeric'],
    ])
    expect(table?.rows).toEqual([
      { city_name: 'Oslo', code: '01', code2: 1, A: 2.5 },
      { city_name: 'A "b"', code: '02', code2: null, A: null },
    ])
    expect(await readdir(join(folder, 'cache', 'sheaf', 'loads'))).toEqual([])
  })

  it('says in one line what it did', async () => {
    await write(numbers(1234))
    expect(await load()).toBe(0)
    expect(out.join()).toMatch(
      /^loaded 1,234 rows into table my_cities of document doc-1 \(\d+\.\d s\)$/,
    )
    expect(stored()).toEqual(upTo(1234))
    expect(err).toEqual([])
  })

  it('adds to a table that exists, by labels, as texts that the server reads', async () => {
    stub.tables.push({
      id: 'Cities',
      columns: [
        { id: 'A', fields: { label: 'population', type: 'Int' } },
        { id: 'name', fields: { label: 'City', type: 'Text' } },
      ],
      rows: [{ name: 'Rome' }],
    })
    await write('name,population\nOslo,5\n,\n')
    expect(await load('--doc', 'doc-1', '--table', 'Cities')).toBe(0)
    expect(stub.tables[0]?.rows.slice(1)).toEqual([
      { name: 'Oslo', A: '5' },
      { name: '', A: null },
    ])
    await write('name,people\nOslo,5\n')
    expect(await load('--doc', 'doc-1', '--table', 'Cities')).toBe(1)
    expect(err.join()).toBe('table Cities has no column "people"; it has population, City')
  })

  it.each([
    ['an answer that is lost', ['serve', 'store and hang up']],
    ['a connection that breaks', ['serve', 'hang up']],
    ['a server that is busy', [{ status: 429, retryAfter: '0' }, { status: 503 }]],
  ] as const)('stores every row once in spite of %s', async (_, fates) => {
    await write(numbers(250))
    stub.fates.push(...fates)
    expect(await load('--batch', '100')).toBe(0)
    expect(stored()).toEqual(upTo(250))
  })

  it('sends less at once when the server takes less', async () => {
    await write(numbers(1000))
    stub.maxBodyBytes = 2000
    expect(await load('--batch', '500')).toBe(0)
    expect(stored()).toEqual(upTo(1000))
  })

  it.each([['store and hang up' as const], ['hang up' as const]])(
    'goes on where it was cut short when the last batch met: %s',
    async (fate) => {
      await write(numbers(500))
      stub.fates.push('serve', fate, { status: 400 })
      expect(await load('--batch', '100')).toBe(1)
      expect(err.join()).toContain(`to resume: sheaf load 'my cities.csv' --resume`)
      const before = stub.tables[0]?.rows.length ?? 0
      expect(before).toBeGreaterThanOrEqual(100)

      expect(await load('--resume')).toBe(0)
      expect(stored()).toEqual(upTo(500))
      expect(stub.tables).toHaveLength(1)
      expect(await load('--resume')).toBe(1)
      expect(err.join()).toMatch(/^no interrupted load of my cities.csv/)
    },
  )

  it('sends no more at once than a server takes by default, whatever the characters are', async () => {
    stub.maxBodyBytes = 32 * 1024 * 1024
    // A control character takes six bytes in JSON.
    const text = '\u0001'.repeat(64 * 1024)
    await write(`n\n${`${text}\n`.repeat(90)}`)
    expect(await load()).toBe(0)
    expect(stub.batches).toEqual([80, 10])
    expect(stub.tables[0]?.rows.at(-1)).toEqual({ n: text })
  })

  it('does not go on with a file that has changed', async () => {
    await write(numbers(300))
    stub.fates.push('serve', { status: 400 })
    expect(await load('--batch', '100')).toBe(1)
    await write(numbers(301))
    expect(await load('--resume')).toBe(1)
    expect(err.join()).toMatch(/^cannot resume: my cities.csv has changed since its load/)
    expect(stub.tables[0]?.rows).toHaveLength(100)
  })

  it('stops when something else writes to the table meanwhile', async () => {
    await write(numbers(300))
    stub.fates.push('serve', 'hang up')
    const loading = load('--batch', '100')
    while ((stub.tables[0]?.rows.length ?? 0) < 100) await new Promise(setImmediate)
    stub.tables[0]?.rows.push({ n: 'stranger' })
    expect(await loading).toBe(1)
    expect(err.join()).toContain('were added or removed by others during the load')
  })

  it('makes nothing when the file has a fault', async () => {
    await write('a,b\n1,2\n3\n')
    expect(await load()).toBe(1)
    expect(err.join()).toBe('my cities.csv, line 3: 1 value where the header has 2 columns')
    expect(stub.tables).toEqual([])
  })

  it('says what is wrong with the key, the address, or the way it is used', async () => {
    await write(numbers(1))
    expect(await load('--key', 'dan')).toBe(1)
    expect(err.join()).toBe('the server returned 401: no (check the API key)')
    expect(await load('--url', 'http://127.0.0.1:2')).toBe(1)
    expect(err.join()).toBe('no response from http://127.0.0.1:2: ECONNREFUSED')
    expect(await load('--url', 'http://me:secret@127.0.0.1:2')).toBe(2)
    expect(err.join()).toBe('url must not contain a password')
    expect(await load('--key', 'k\u00e9y')).toBe(2)
    expect(err.join()).toBe('the key must consist of visible ASCII characters')
    expect(await load('--workspace', 'Home')).toBe(2)
    expect(await load('--batch', 'many')).toBe(2)
    expect(await load('--doc', 'doc-1', '--name', 'x')).toBe(2)
  })
})
