import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { homeWorkspace, useSystem } from '../support/system'

/*
 * A client that openapi-typescript and openapi-fetch make of the OpenAPI document alone: compiled in strict mode, without
 * casts, and run.
 */

const system = useSystem()
const run = promisify(execFile)
const root = join(__dirname, '../..')
const bin = join(root, 'node_modules/.bin')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

const program = `
import createClient from 'openapi-fetch'
import type { paths } from './sheaf-api'

const [baseUrl = '', key = '', workspace = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } })

function required<T>(answer: { data?: T; error?: { error: string } }): T {
  if (answer.data === undefined) throw new Error(answer.error?.error)
  return answer.data
}

async function main(): Promise<void> {
  const docId: string = required(
    await client.POST('/api/workspaces/{workspaceId}/docs', {
      params: { path: { workspaceId: Number(workspace) } },
      body: { name: 'Typed' },
    }),
  )
  const columns = [{ id: 'Name', fields: { type: 'Text' } }]
  const added = required(
    await client.POST('/api/docs/{docId}/tables', {
      params: { path: { docId } },
      body: { tables: [{ id: 'People', columns }] },
    }),
  )
  const tableId: string = added.tables[0]?.id ?? ''
  const path = { docId, tableId }
  const records = required(
    await client.POST('/api/docs/{docId}/tables/{tableId}/records', {
      params: { path },
      body: { records: [{ fields: { Name: 'Ada' } }, { fields: { Name: 'Grace' } }] },
    }),
  )
  const ids: number[] = records.records.map(({ id }) => id)
  await client.PATCH('/api/docs/{docId}/tables/{tableId}/records', {
    params: { path },
    body: { records: [{ id: ids[0] ?? 0, fields: { Name: 'Ada Lovelace' } }] },
  })
  await client.POST('/api/docs/{docId}/tables/{tableId}/records/delete', {
    params: { path },
    body: [ids[1] ?? 0],
  })
  const read = required(
    await client.GET('/api/docs/{docId}/tables/{tableId}/records', {
      params: { path, query: { sort: '-Name', limit: 10 } },
    }),
  )
  const missing = await client.GET('/api/docs/{docId}/tables/{tableId}/records', {
    params: { path: { docId, tableId: 'Nobody' } },
  })
  const reason: string | undefined = missing.error?.details.reason
  console.log(JSON.stringify({ ids, read: read.records, status: missing.response.status, reason }))
}

void main()
`

const settings = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    module: 'CommonJS',
    moduleResolution: 'Node10',
    lib: ['ES2022', 'DOM'],
    types: ['node'],
  },
  files: ['client.ts'],
}

describe('a client of openapi-fetch with the types of the OpenAPI document', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-client-'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'client.ts'), program)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is compiled without casts, and creates, changes, removes and reads records', async () => {
    const { url, ownerKey } = system.sheaf
    const types = join(folder, 'sheaf-api.ts')
    await run(join(bin, 'openapi-typescript'), [`${url}/api/openapi.json`, '--output', types])
    await run(tsc, ['--project', folder]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    })
    const workspace = String(await homeWorkspace(system.alice.rest))
    const { stdout } = await run(process.execPath, [
      join(folder, 'client.js'),
      url,
      ownerKey,
      workspace,
    ])
    expect(JSON.parse(stdout)).toEqual({
      ids: [1, 2],
      read: [{ id: 1, fields: { Name: 'Ada Lovelace' } }],
      status: 404,
      reason: 'TABLE_NOT_FOUND',
    })
  })
})
