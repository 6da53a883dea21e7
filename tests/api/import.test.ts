import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findRunFile } from '@sheaf/cli/run-file'
import { openChannel } from '@sheaf/kit/grpc/client'
import { AccessServiceClientImpl, Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { ExportServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/export'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest, RestReply } from '@sheaf/testkit/rest'
import { homeWorkspace, useOwnSystem, type RestRecord } from '../support/system'

interface Imported {
  readonly id: string
  readonly title: string
  readonly tables: { readonly id: string; readonly rows: number }[]
}

const system = useOwnSystem({ env: { SHEAF_MAX_IMPORT_MB: '2' } })
const dataFile = (name: string) => readFile(join(__dirname, '../data', name))

async function send(
  rest: Rest,
  form: FormData,
  headers: Record<string, string> = {},
): Promise<RestReply<Imported>> {
  const workspace = await homeWorkspace(system.alice.rest)
  return rest.post<Imported>(`/api/workspaces/${workspace}/import`, { body: form, headers })
}

function formOf(
  content: string | Uint8Array<ArrayBuffer>,
  name: string,
  field = 'upload',
): FormData {
  const form = new FormData()
  form.set(field, new Blob([content]), name)
  return form
}

/** How many documents the workspace shows, and how many anybody could ever see. */
async function countDocuments(): Promise<number> {
  const workspace = await homeWorkspace(system.alice.rest)
  const { body } = await system.alice.rest.get<{ docs: object[] }>(`/api/workspaces/${workspace}`)
  return body.docs.length
}

const recordsOf = async (docId: string, table: string) => {
  const path = `/api/docs/${docId}/tables/${table}/records`
  return (await system.alice.rest.get<{ records: RestRecord[] }>(path)).body.records
}

describe('an import', () => {
  it('makes a document of country-codes.csv, named like it', async () => {
    const bytes = new Uint8Array(await dataFile('country-codes.csv'))
    const { status, body } = await send(system.alice.rest, formOf(bytes, 'country-codes.csv'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ title: 'country-codes', tables: [{ id: 'Country_codes' }] })
    const described = await system.alice.rest.get(`/api/docs/${body.id}`)
    expect(described.body).toMatchObject({ name: 'country-codes', access: 'owners' })
    expect(await recordsOf(body.id, 'Country_codes')).toHaveLength(body.tables[0]?.rows ?? -1)
  })

  it('cuts no name of a file in the middle of a character', async () => {
    const file = formOf('a\n1\n', `${'x'.repeat(255)}😀.csv`)
    const { status, body } = await send(system.alice.rest, file)
    expect(status).toBe(200)
    expect(body.title).toBe('x'.repeat(255))
  })

  it('takes a name from the form, and tells its progress when it is asked to', async () => {
    const form = new FormData()
    form.set('name', 'Städte')
    form.set('upload', new Blob([new Uint8Array(await dataFile('world-cities.csv'))]), 'c.csv')
    const { status, text, headers } = await send(system.alice.rest, form, {
      accept: 'application/x-ndjson',
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/x-ndjson')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(lines.at(-1)).toMatchObject({ document: { title: 'Städte', tables: [{ id: 'C' }] } })
    for (const line of lines.slice(0, -1)) expect(Object.keys(line)).toEqual(['progress'])
  })

  it('brings a downloaded document back as it was', async () => {
    const { rest } = system.alice
    const source = (await send(rest, formOf('Name,Born\nAnn,1990-01-02\nBob,\n', 'people.csv')))
      .body
    await rest.post(`/api/docs/${source.id}/tables/People/columns`, {
      body: { columns: [{ id: 'Friends', fields: { type: 'RefList:People', label: 'F' } }] },
    })
    await rest.patch(`/api/docs/${source.id}/tables/People/records`, {
      body: { records: [{ id: 2, fields: { Friends: ['L', 1, 2] } }] },
    })
    const { status, body } = await send(rest, formOf(await download(source.id), 'back.sqlite'))
    expect(status).toBe(200)
    expect(body.tables).toEqual([{ id: 'People', rows: 2 }])
    expect(await recordsOf(body.id, 'People')).toEqual(await recordsOf(source.id, 'People'))
    const columns = async (id: string) =>
      (await rest.get(`/api/docs/${id}/tables/People/columns`)).body
    expect(await columns(body.id)).toEqual(await columns(source.id))
  })

  it.each<[string, number, string, () => FormData]>([
    ['without a file', 400, 'BAD_UPLOAD', () => new FormData()],
    ['with a file of another name', 400, 'BAD_UPLOAD', () => formOf('a\n1\n', 'a.csv', 'file')],
    ['of an unknown kind', 400, 'UNKNOWN_FILE_FORMAT', () => formOf('hello', 'letter.docx')],
    ['of an empty file', 400, 'BAD_IMPORT_FILE', () => formOf('', 'a.csv')],
    ['of a damaged file', 400, 'BAD_IMPORT_FILE', () => formOf('a,b\n"1,2\n', 'a.csv')],
    ['that is too large', 413, 'UPLOAD_TOO_LARGE', () => formOf('a'.repeat(3e6), 'a.csv')],
  ])('%s is refused, and leaves nothing', async (_, status, reason, makeForm) => {
    const before = await countDocuments()
    const reply = await send(system.alice.rest, makeForm())
    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject({ details: { reason } })
    expect(await countDocuments()).toBe(before)
  })

  it('of two files is refused, and leaves nothing', async () => {
    const before = await countDocuments()
    const form = formOf('a\n1\n', 'a.csv')
    form.append('upload', new Blob(['b\n2\n']), 'b.csv')
    expect((await send(system.alice.rest, form)).status).toBe(400)
    expect(await countDocuments()).toBe(before)
  })

  it('needs a form that is well formed', async () => {
    const path = `/api/workspaces/${await homeWorkspace(system.alice.rest)}/import`
    const { rest } = system.alice
    expect((await rest.post(path, { body: {} })).status).toBe(415)
    const form = 'multipart/form-data; boundary=x'
    const part =
      '--x\r\nContent-Disposition: form-data; name="upload"; filename="a.csv"\r\n\r\na\n1\n'
    const before = await countDocuments()
    for (const [body, type] of [
      [part, form],
      ['--x--', 'multipart/form-data'],
      ['nothing', form],
    ] as const)
      expect((await rest.post(path, { body, headers: { 'content-type': type } })).status).toBe(400)
    expect(await countDocuments()).toBe(before)
  })

  it('that its client gives up leaves nothing', async () => {
    const { rest } = system.alice
    const workspace = await homeWorkspace(rest)
    const before = await countDocuments()
    const unfinished = join(system.sheaf.dataDir, 'documents', 'unfinished')
    const stop = new AbortController()
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(
        '--x\r\nContent-Disposition: form-data; name="upload"; filename="a.csv"\r\n\r\na,b\n',
      )
      while (!stop.signal.aborted) {
        yield Buffer.alloc(1000, '1,2\n')
        await eventually(async () => (await readdir(unfinished)).length > 0)
        stop.abort()
      }
    }
    const sent = fetch(`${rest.url}/api/workspaces/${workspace}/import`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${system.sheaf.ownerKey}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: body(),
      duplex: 'half',
      signal: stop.signal,
    })
    await expect(sent).rejects.toThrow('aborted')
    await eventually(async () => (await readdir(unfinished)).length === 0)
    expect(await countDocuments()).toBe(before)
  })

  it('is what the command line does', async () => {
    const { url, ownerKey } = system.sheaf
    const env = { ...process.env, SHEAF_URL: url, SHEAF_API_KEY: ownerKey }
    const main = join(__dirname, '../../packages/cli/dist/main.js')
    const file = join(__dirname, '../data/country-codes.csv')
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [main, 'import', file, '--json'], { env })
    const made = JSON.parse(stdout) as Imported
    expect(await recordsOf(made.id, 'Country_codes')).toHaveLength(made.tables[0]?.rows ?? -1)
    const missing = run(process.execPath, [main, 'import', file, '--workspace', '999999'], { env })
    await expect(missing).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server returned 404') as string,
    })
  })

  it('needs an editor of the workspace', async () => {
    const form = () => formOf('a\n1\n', 'a.csv')
    expect((await send(system.dan.rest, form())).status).toBe(403)
    const missing = await system.alice.rest.post('/api/workspaces/999999/import', { body: form() })
    expect(missing.status).toBe(404)
  })
})

/** The SQLite file of a document, as its owner gets it. */
async function download(docId: string): Promise<Uint8Array<ArrayBuffer>> {
  const run = await findRunFile(system.sheaf.dataDir)
  if (!run) throw new Error('the running Sheaf has no run file')
  await using directory = openChannel({ address: run.addresses.directory })
  const answer = await new AccessServiceClientImpl(directory).resolveAccess({
    credential: { $case: 'apiKey', value: system.sheaf.ownerKey },
    document: docId,
    site: '',
    neededRole: Role.VIEWERS,
  })
  await using home = openChannel({ address: answer.document?.homeAddress ?? '' })
  const chunks: Uint8Array[] = []
  const request = { docId, noHistory: true, template: false }
  const exported = new ExportServiceClientImpl(home).exportDocument(request, {
    token: answer.token,
  })
  for await (const { chunk } of exported) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}
