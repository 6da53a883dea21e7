import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'

const main = join(__dirname, '../dist/main.js')

describe('the command against a running Sheaf', () => {
  let sheaf: RunningSheaf
  let folder: TempDir
  beforeAll(async () => {
    sheaf = await startSheaf()
    folder = await tempDir()
  })
  afterAll(async () => {
    await sheaf?.[Symbol.asyncDispose]()
    await folder?.[Symbol.asyncDispose]()
  })

  function run(args: string[], env: Record<string, string> = {}) {
    const options = {
      cwd: folder.path,
      env: {
        PATH: process.env.PATH,
        SHEAF_DATA: sheaf.dataDir,
        XDG_CACHE_HOME: folder.path,
        ...env,
      },
    }
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
    })
  }
  const json = async <T>(...args: string[]) =>
    JSON.parse((await run([...args, '--json'])).stdout) as T
  const get = (path: string, key: string) =>
    fetch(sheaf.url + path, { headers: { authorization: `Bearer ${key}` } })

  it('makes users and keys, lists and revokes them', async () => {
    const alice = await json<Record<string, string>>(
      ...['users', 'create', 'Alice@example.com', '--name', 'Alice'],
    )
    expect(Object.keys(alice)).toEqual(['id', 'email', 'name', 'key'])
    expect(alice).toMatchObject({ email: 'alice@example.com', name: 'Alice' })
    expect((await get('/api/orgs', alice.key ?? '')).status).toBe(200)

    const again = await json<Record<string, string>>('users', 'create', 'alice@example.com')
    expect(again).toMatchObject({ id: alice.id, name: 'Alice' })
    expect(again.key).not.toBe(alice.key)
    const users = await json<{ email: string }[]>('users', 'list')
    expect(users.map(({ email }) => email)).toEqual(['you@example.com', 'alice@example.com'])

    const made = await run([
      'keys',
      'create',
      'alice@example.com',
      '--name',
      'ci',
      '--expires',
      '30d',
    ])
    const [key] = /shf_\S+/.exec(made.stdout) ?? ['']
    expect((await get('/api/orgs', key)).status).toBe(200)
    const keys = await json<{ id: number; name: string }[]>('keys', 'list', 'alice@example.com')
    expect(keys.map(({ name }) => name)).toContain('ci')

    expect((await run(['keys', 'revoke', key])).code).toBe(0)
    expect((await get('/api/orgs', key)).status).toBe(401)
    const id = keys.find(({ name }) => name === 'ci')?.id
    expect((await run(['keys', 'revoke', String(id)])).code).toBe(1)
  })

  it('makes keys that are confined, and says to what', async () => {
    await json('users', 'create', 'eve@example.com')
    const create = ['keys', 'create', 'eve@example.com', '--name', 'reader', '--read-only']
    const { key, scope } = await json<{ key: string; scope: object }>(...create)
    expect(scope).toEqual({ readOnly: true, orgs: [], workspaces: [], documents: [] })
    const [org] = (await (await get('/api/orgs', key)).json()) as { id: number }[]
    const renamed = await fetch(`${sheaf.url}/api/orgs/${org?.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"name":"No"}',
    })
    expect(renamed.status).toBe(403)

    const elsewhere = await json<{ key: string }>(...create, '--org', String(org?.id))
    expect((await get('/api/orgs', elsewhere.key)).status).toBe(200)
    const { stdout } = await run(['keys', 'list', 'eve@example.com'])
    expect(stdout).toMatch(/everything \(default key\)/)
    expect(stdout).toMatch(new RegExp(`read-only, orgs ${org?.id}`))
    const wrong = await run([...create, '--workspace', 'Home'])
    expect(wrong).toMatchObject({ code: 2, stderr: '--workspace must be an integer id: Home\n' })
    const hidden = await run([...create, '--workspace', '999999'])
    expect(hidden.code).toBe(1)
    expect(hidden.stderr).toMatch(/scope\.workspaces\[0\] must name something/)
  })

  it('says whether Sheaf is ready', async () => {
    const status = await json<object>('status')
    expect(status).toMatchObject({ url: sheaf.url, alive: true, ready: true })
    const elsewhere = await run(['status'], { SHEAF_DATA: folder.path })
    expect(elsewhere.code).toBe(1)
    expect(elsewhere.stderr).toMatch(/^no Sheaf is running with the data folder [^\n]*\n$/)
  })

  it('says what is wrong in one sentence', async () => {
    const stranger = await run(['keys', 'create', 'dan@example.com'])
    expect(stranger).toMatchObject({
      code: 1,
      stderr:
        'user not found: dan@example.com; create the user with "users create dan@example.com"\n',
    })
    const lonely = await run(['users', 'list'], { SHEAF_DIRECTORY_ADDRESS: '127.0.0.1:2' })
    expect(lonely.code).toBe(1)
    expect(lonely.stderr).toMatch(/^the directory service is unavailable: [^\n]*\n$/)
  })

  it('finds nothing wrong after a document was deleted for good and an import has failed', async () => {
    const { key = '' } = await json<Record<string, string>>('users', 'create', 'dora@example.com')
    const request = (method: string, path: string, body?: string | FormData) =>
      fetch(sheaf.url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        body,
      })
    const [workspace] = (await (await request('GET', '/api/orgs/current/workspaces')).json()) as {
      id: number
    }[]
    const make = await request('POST', `/api/workspaces/${workspace?.id}/docs`, '{}')
    const docId = (await make.json()) as string
    expect((await request('DELETE', `/api/docs/${docId}`)).status).toBe(200)
    const form = new FormData()
    form.append('upload', new File(['SQLite format 3\0, but not really'], 'a.sqlite'))
    const path = `/api/workspaces/${workspace?.id}/import`
    expect((await request('POST', path, form)).status).toBe(400)
    const folder = join(sheaf.dataDir, 'documents', docId.slice(0, 2), docId)
    await eventually(() => existsSync(join(folder, 'deleted')))
    const diagnosis = await eventually(async () => {
      const found = await json<{ findings: { level: string; message: string }[] }>('doctor')
      return found.findings.every(({ level }) => level === 'note') && found
    })
    expect(diagnosis.findings.filter(({ message }) => message.includes(docId))).toEqual([])
  })

  const onProc = existsSync('/proc/self') ? it : it.skip
  onProc('ends a backup to a folder that cannot be made, with the reason', async () => {
    const { code, stderr } = await run(['backup', '/proc/none/backup'])
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^failed to create the folder of the backup: ENOENT/),
    ])
  })

  it('loads a file into a new document', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i) => `city ${i},0${i},${i},${i / 4},2024-02-29`)
    await writeFile(
      join(folder.path, 'cities.csv'),
      `name,code,people,area,seen\n${rows.join('\n')}\n`,
    )
    const key = sheaf.ownerKey
    const { code, stdout, stderr } = await run(['load', 'cities.csv', '--json', '--key', key])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { docId, tableId } = JSON.parse(stdout) as { docId: string; tableId: string }
    expect(JSON.parse(stdout)).toMatchObject({ tableId: 'Cities', rows: 3_000 })
    const table = `/api/docs/${docId}/tables/${tableId}`
    const { records } = (await (await get(`${table}/records`, key)).json()) as {
      records: { id: number; fields: object }[]
    }
    expect(records).toHaveLength(3_000)
    expect(records[2]).toEqual({
      id: 3,
      fields: { name: 'city 2', code: '02', people: 2, area: 0.5, seen: 1709164800 },
    })
  })
})
