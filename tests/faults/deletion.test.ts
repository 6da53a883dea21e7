import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@sheaf/kit/postgres/database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { homeWorkspace } from '../support/system'
import { untilRandomMoment } from './support/extent'

const DOCUMENTS = 12
/** Contents of deleted documents are removed at once. */
const env = { SHEAF_KEEP_DELETED_DAYS: '0' }

/** File names of the existing documents. */
function listFiles(dataDir: string): string[] {
  const names = readdirSync(join(dataDir, 'documents'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => /document\.sqlite/.test(name))
}

/** Database rows about deleted documents. */
interface DeletionTables {
  'directory.outbox': { doc_id: string; consumer: string }
  'webhook.tombstones': { doc_id: string }
}

/** Access to the databases of the services. */
function openDeletions(url: string) {
  const db = openDatabase<DeletionTables>({ url, schema: 'directory', log: createLogger('test') })
  return {
    /** Ids of documents whose deletion a service has not confirmed. */
    async listWaiting(consumer: string): Promise<string[]> {
      const rows = await db
        .selectFrom('directory.outbox')
        .select('doc_id')
        .where('consumer', '=', consumer)
        .execute()
      return rows.map((row) => row.doc_id).sort()
    },
    /** Ids of documents that the webhook service has recorded as deleted. */
    async listTombstones(): Promise<string[]> {
      const rows = await db.selectFrom('webhook.tombstones').select('doc_id').execute()
      return rows.map((row) => row.doc_id).sort()
    },
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

/** Creates a site with one workspace and documents in it; returns the ids of the documents. */
async function makeSite(rest: Rest, domain: string, count: number): Promise<string[]> {
  await rest.post('/api/orgs', { body: { name: domain, domain } })
  const { body: workspaces } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces', {
    site: domain,
  })
  const docIds: string[] = []
  for (let made = 0; made < count; made++)
    docIds.push(await makeDocument(rest, workspaces[0]?.id ?? 0))
  return docIds
}

async function makeDocument(rest: Rest, workspace: number): Promise<string> {
  return (await rest.post<string>(`/api/workspaces/${workspace}/docs`, { body: {} })).body
}

describe('a site that is deleted while services fail', () => {
  it('is gone at once, and later its files are gone too', async () => {
    await using sheaf = await startSheaf({ env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doomed = await makeSite(rest, 'doomed', DOCUMENTS)
    const kept = await makeDocument(rest, await homeWorkspace(rest))

    // A suspended process keeps its connections but does not respond, which is worse than being down.
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

  it('loses its files at once while the webhook service hangs, which hears of it when it is back', async () => {
    await using database = await createTestDatabase()
    await using sheaf = await startSheaf({ databaseUrl: database.url, env })
    await using deletions = openDeletions(database.url)
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doomed = await makeSite(rest, 'doomed', DOCUMENTS)
    const kept = await makeDocument(rest, await homeWorkspace(rest))
    const single = await makeDocument(rest, await homeWorkspace(rest))
    const gone = [...doomed, single].sort()

    const frozen = await sheaf.kill('webhook', 'SIGSTOP')
    expect((await rest.delete('/api/orgs/doomed')).status).toBe(200)
    expect((await rest.delete(`/api/docs/${single}`)).status).toBe(200)
    await eventually(
      async () => {
        const files = listFiles(sheaf.dataDir)
        expect(files.filter((name) => gone.some((docId) => name.includes(docId)))).toEqual([])
        expect(await deletions.listWaiting('document-data')).toEqual([])
      },
      { timeoutMs: 60_000, everyMs: 100 },
    )
    expect(await deletions.listWaiting('webhook')).toEqual(gone)
    expect(await deletions.listTombstones()).toEqual([])

    const directory = await sheaf.kill('directory')
    process.kill(frozen, 'SIGKILL')
    await sheaf.restarted('directory', directory)
    await sheaf.restarted('webhook', frozen)
    await eventually(
      async () => {
        expect(await deletions.listWaiting('webhook')).toEqual([])
      },
      { timeoutMs: 60_000, everyMs: 200 },
    )
    expect(await deletions.listTombstones()).toEqual(gone)
    expect((await rest.get(`/api/docs/${kept}/tables`)).status).toBe(200)
  })
})
