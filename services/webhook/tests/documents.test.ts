import { randomUUID } from 'node:crypto'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { openChannel } from '@sheaf/kit/grpc/client'
import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/documents'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { migrations } from '../src/db/migrations/index'
import type { WebhookSchema } from '../src/db/schema'
import { startWebhook } from '../src/service'
import { webhookConfig } from './webhook-config'

describe('documents', () => {
  const closer = new Closer()
  let authority: TokenAuthority
  let documents: DocumentsServiceClientImpl
  let listTombstones: () => Promise<{ doc_id: string; deleted_at: Date }[]>
  beforeAll(async () => {
    const { url } = closer.use(await createTestDatabase())
    authority = await createTokenAuthority()
    // Two, as they would share one database behind a balancer, started at the same time.
    const start = async () => closer.use(await startWebhook(webhookConfig(url), authority))
    const [webhook] = await Promise.all([start(), start()])
    const channel = closer.use(openChannel({ address: webhook.address }))
    documents = new DocumentsServiceClientImpl(channel)
    const log = createLogger('test')
    const db = closer.use(openDatabase<WebhookSchema>({ url, schema: 'webhook', log }))
    await migrate(db, 'webhook', migrations)
    listTombstones = () => db.selectFrom('tombstones').selectAll().orderBy('deleted_at').execute()
  })
  afterAll(() => closer.close())

  const asSheaf = async (docId: string) => ({
    token: await authority.sign({ userId: 0, system: true, docId, role: 'owners' }),
  })

  it('that are not known are deleted too, once, however often it is told', async () => {
    const docId = randomUUID()
    const call = await asSheaf(docId)
    expect(await documents.deleteDocument({ docId }, call)).toEqual({})
    const [first, ...others] = await listTombstones()
    expect(first).toEqual({ doc_id: docId, deleted_at: expect.any(Date) as Date })
    expect(others).toEqual([])

    const again = Array.from({ length: 10 }, () => documents.deleteDocument({ docId }, call))
    await Promise.all(again)
    expect(await listTombstones()).toEqual([first])
  })

  it('are deleted by Sheaf itself alone, and with a token for the document', async () => {
    const before = await listTombstones()
    const docId = randomUUID()
    const owner = { token: await authority.sign({ docId, role: 'owners' }) }
    await expect(documents.deleteDocument({ docId }, owner)).rejects.toMatchObject({
      reason: 'SYSTEM_ONLY',
    })
    for (const call of [
      await asSheaf(randomUUID()),
      { token: await authority.sign({ userId: 0, system: true }) },
    ])
      await expect(documents.deleteDocument({ docId }, call)).rejects.toMatchObject({
        code: 'forbidden',
        reason: 'ACCESS_DENIED',
      })
    for (const call of [{}, { token: 'a.b.c' }])
      await expect(documents.deleteDocument({ docId }, call)).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    expect(await listTombstones()).toEqual(before)
  })
})
