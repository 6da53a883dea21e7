import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { homeWorkspace } from '../support/system'
import { untilRandomMoment } from './support/extent'

const DOCUMENTS = 12

/** Names of the files of documents that are there. */
function listFiles(dataDir: string): string[] {
  const names = readdirSync(join(dataDir, 'documents'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /document\.sqlite/.test(name))
}

describe('a site that is deleted while services fail', () => {
  it('is gone at once, and later its files are gone too', async () => {
    await using sheaf = await startSheaf()
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    await rest.post('/api/orgs', { body: { name: 'Doomed', domain: 'doomed' } })
    const { body: workspaces } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces', {
      site: 'doomed',
    })
    const create = async (workspace: number) =>
      (await rest.post<string>(`/api/workspaces/${workspace}/docs`, { body: {} })).body
    const doomed: string[] = []
    for (let made = 0; made < DOCUMENTS; made++) doomed.push(await create(workspaces[0]?.id ?? 0))
    const kept = await create(await homeWorkspace(rest))

    // A stopped process holds its connections and answers nothing, which is worse than being down.
    const frozen = await sheaf.kill('document-data', 'SIGSTOP')
    expect((await rest.delete('/api/orgs/doomed')).status).toBe(200)
    expect((await rest.get('/api/orgs/doomed')).status).toBe(404)
    for (const docId of doomed) expect((await rest.get(`/api/docs/${docId}`)).status).toBe(404)

    await untilRandomMoment(0, 500)
    const directory = await sheaf.kill('directory')
    process.kill(frozen, 'SIGKILL')
    await sheaf.restarted('directory', directory)
    await sheaf.restarted('document-data', frozen)

    await eventually(
      () => {
        const files = listFiles(sheaf.dataDir)
        expect(files.filter((name) => doomed.some((docId) => name.includes(docId)))).toEqual([])
      },
      { timeoutMs: 60_000, everyMs: 200 },
    )
    for (const docId of doomed)
      expect((await rest.get(`/api/docs/${docId}/tables`)).status).toBe(404)
    expect((await rest.get(`/api/docs/${kept}/tables`)).status).toBe(200)
  })
})
