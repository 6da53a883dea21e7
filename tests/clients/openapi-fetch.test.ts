import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { useSystem } from '../support/system'

const system = useSystem()

/** What a user of the API writes: no cast, no type of its own, and no non-null assertion. */
const program = `
import createClient from 'openapi-fetch'
import type { paths } from './paths'

export async function run(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } })

  const workspaces = await client.GET('/api/orgs/{orgId}/workspaces', {
    params: { path: { orgId: 'current' } },
  })
  const workspaceId = workspaces.data?.[0]?.id
  if (workspaceId === undefined) throw new Error(workspaces.error?.error)

  const created = await client.POST('/api/workspaces/{workspaceId}/docs', {
    params: { path: { workspaceId } },
    body: { name: 'Typed' },
  })
  if (created.error) throw new Error(created.error.error)
  const docId = created.data

  const tables = await client.POST('/api/docs/{docId}/tables', {
    params: { path: { docId } },
    body: {
      tables: [
        {
          id: 'Plants',
          columns: [
            { id: 'Name', fields: { type: 'Text', label: 'Name' } },
            { id: 'Height', fields: { type: 'Numeric' } },
          ],
        },
      ],
    },
  })
  const tableId = tables.data?.tables[0]?.id
  if (tableId === undefined) throw new Error(tables.error?.error)
  const path = { docId, tableId }

  const added = await client.POST('/api/docs/{docId}/tables/{tableId}/records', {
    params: { path },
    body: { records: [{ fields: { Name: 'Rose', Height: 1.5 } }, { fields: { Name: 'Fern' } }] },
  })
  const ids: number[] = (added.data?.records ?? []).map(({ id }) => id)

  const changed = await client.PATCH('/api/docs/{docId}/tables/{tableId}/records', {
    params: { path, header: { 'If-Match': added.response.headers.get('etag') ?? '*' } },
    body: { records: ids.map((id) => ({ id, fields: { Height: id * 2 } })) },
  })

  const read = await client.GET('/api/docs/{docId}/tables/{tableId}/records', {
    params: { path, query: { filter: JSON.stringify({ Name: ['Fern'] }), limit: 10, sort: '-Name' } },
  })
  const records = read.data?.records.map(({ id, fields }) => ({ id, height: fields.Height }))

  const removed = await client.POST('/api/docs/{docId}/tables/{tableId}/records/delete', {
    params: { path },
    body: ids.slice(0, 1),
  })

  const left = await client.GET('/api/docs/{docId}/tables/{tableId}/records', { params: { path } })

  const deleted = await client.DELETE('/api/docs/{docId}', { params: { path: { docId } } })
  const gone = await client.GET('/api/docs/{docId}', { params: { path: { docId } } })
  const message: string | undefined = gone.error?.error
  const reason: string | undefined = gone.error?.details?.reason

  return {
    ids,
    records,
    left: left.data?.records.map(({ id }) => id),
    statuses: [changed, removed, deleted, gone].map(({ response }) => response.status),
    message,
    reason,
  }
}
`

/** Calls of operations in a way that they do not have; each line must be refused by the compiler. */
const mistakes = `
import createClient from 'openapi-fetch'
import type { paths } from './paths'

const client = createClient<paths>({ baseUrl: '' })
const path = { docId: 'd', tableId: 't' }
export const results = [
  client.GET('/api/docs/{docId}/tables', { params: { path: {} } }),
  client.GET('/api/docs/{docId}/table', { params: { path } }),
  client.POST('/api/docs/{docId}/tables/{tableId}/records', { params: { path }, body: { rows: [] } }),
  client.POST('/api/docs/{docId}/tables/{tableId}/records', { params: { path } }),
  client.GET('/api/docs/{docId}/tables/{tableId}/records', { params: { path, query: { limit: 'x' } } }),
]
`

/** Below the packages, so that the program finds its imports. */
const cache = join(__dirname, '../../node_modules/.cache')
const command = join(__dirname, '../../node_modules/openapi-typescript/bin/cli.js')
let folder = ''

beforeAll(async () => {
  await mkdir(cache, { recursive: true })
  folder = await mkdtemp(join(cache, 'openapi-fetch-'))
  const types = join(folder, 'paths.ts')
  await promisify(execFile)(process.execPath, [
    command,
    `${system.sheaf.url}/api/openapi.json`,
    '--output',
    types,
  ])
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Compiles a program; returns the path of the result, and the errors as `line: message`. */
async function compile(name: string, source: string) {
  const file = join(folder, `${name}.ts`)
  await writeFile(file, source)
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
  })
  const errors = ts.getPreEmitDiagnostics(compiled).map(({ file: at, start, messageText }) => {
    const line = at && start !== undefined ? at.getLineAndCharacterOfPosition(start).line : -1
    return { line, message: ts.flattenDiagnosticMessageText(messageText, '\n') }
  })
  compiled.emit()
  return { path: join(folder, `${name}.js`), errors }
}

interface Program {
  readonly run: (url: string, key: string) => Promise<unknown>
}

describe('openapi-fetch with the types of openapi-typescript', () => {
  it('compiles without casts, and creates, reads, updates and deletes', async () => {
    const { path, errors } = await compile('program', program)
    expect(errors).toEqual([])
    const { run } = (await import(path)) as Program
    expect(await run(system.sheaf.url, system.sheaf.ownerKey)).toEqual({
      ids: [1, 2],
      records: [{ id: 2, height: 4 }],
      left: [2],
      statuses: [200, 200, 200, 404],
      message: expect.any(String) as string,
      reason: expect.stringMatching(/^[A-Z_]+$/) as string,
    })
  })

  it('refuses unknown paths, and missing and wrong parameters and bodies', async () => {
    const { errors } = await compile('mistakes', mistakes)
    const first = mistakes.split('\n').findIndex((line) => line.startsWith('  client.'))
    const lines = new Set(errors.map(({ line }) => line))
    expect([...lines].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4].map((i) => first + i))
  })
})
