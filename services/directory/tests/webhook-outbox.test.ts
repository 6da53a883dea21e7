import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { migrations } from '../src/db/migrations/index'
import type { DirectorySchema } from '../src/db/schema'
import { TestDirectory, type TestUser } from './test-directory'
import { startTestHome } from './test-home'
import { startTestWebhook } from './test-webhook'

/** Longer than any pause of the outbox. */
const patience = { timeoutMs: 60_000 }

describe('the outbox for the webhook service', () => {
  let directory: TestDirectory
  let alice: TestUser
  let address: string
  beforeAll(async () => {
    // An address for those that the tests start; until then nobody listens there.
    const placeholder = await startTestWebhook({} as TestDirectory)
    address = placeholder.address
    await placeholder[Symbol.asyncDispose]()
    directory = await TestDirectory.start({ webhookAddress: address })
    alice = await directory.addUser('alice')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const makeOrg = async (domain: string, count: number) => {
    await directory.createOrg(alice, domain)
    const workspace = await directory.createWorkspace(alice, domain)
    const ids: string[] = []
    for (let made = 0; made < count; made++)
      ids.push(await directory.createDocument(alice, workspace))
    return ids.sort()
  }
  const deleteDocument = async (document: string) =>
    directory.clients.documents.deleteDocument({ document, site: '' }, await directory.as(alice))

  it('keeps what it has to hear while it is down, and tells the homes at once', async () => {
    await using home = await startTestHome(directory)
    const docIds = await makeOrg('first', 4)
    await directory.clients.orgs.deleteOrg(
      { org: { org: 'first', site: '' } },
      await directory.as(alice),
    )
    await eventually(async () => (await directory.countOutbox('document-data')) === 0, patience)
    expect([...home.deleted].sort()).toEqual(docIds)
    expect(await directory.countOutbox('webhook')).toBe(4)

    await using webhook = await startTestWebhook(directory, address)
    await eventually(async () => (await directory.countOutbox('webhook')) === 0, patience)
    expect([...webhook.deleted].sort()).toEqual(docIds)
  })

  it('lets no home wait while the webhook service hangs', async () => {
    await using home = await startTestHome(directory)
    const [first = '', second = ''] = await makeOrg('second', 2)
    await using webhook = await startTestWebhook(directory, address)
    webhook.isFrozen = true
    await deleteDocument(first)
    await eventually(() => webhook.waiting.size === 1, patience)
    const [hanging] = webhook.waiting
    await deleteDocument(second)
    await eventually(() => home.deleted.includes(second), patience)
    expect(hanging?.signal.aborted).toBe(false)

    webhook.isFrozen = false
    await eventually(async () => (await directory.countOutbox('webhook')) === 0, patience)
    expect(webhook.deleted).toEqual(expect.arrayContaining([first, second]))
  })

  it('holds what waited for document-data when the webhook service became a consumer', async () => {
    await using database = await createTestDatabase()
    await using db = openDatabase<DirectorySchema>({
      url: database.url,
      schema: 'directory',
      log: createLogger('test'),
    })
    await migrate(db, 'directory', migrations.slice(0, 4))
    await sql`insert into outbox (consumer, kind, doc_id, home, attempts)
      select 'document-data', 'document_deleted', gen_random_uuid(), 'document-data-0', 7
      from generate_series(1, 3)`.execute(db)
    await migrate(db, 'directory', migrations)
    const list = (consumer: string) =>
      db
        .selectFrom('outbox')
        .select(['doc_id', 'home'])
        .where('consumer', '=', consumer)
        .orderBy('doc_id')
        .execute()
    expect(await list('webhook')).toHaveLength(3)
    expect(await list('webhook')).toEqual(await list('document-data'))
  })
})
