import { openChannel } from '@sheaf/kit/grpc/client'
import { WebhooksServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { createTokenAuthority } from '@sheaf/testkit/token-authority'
import { startWebhook } from '../src/service'
import { webhookConfig } from './webhook-config'

describe('webhook', () => {
  it('says that it and its database serve, and answers nothing else to a caller without a token', async () => {
    await using database = await createTestDatabase()
    const authority = await createTokenAuthority()
    await using webhook = await startWebhook(webhookConfig(database.url), authority)
    await using channel = openChannel({ address: webhook.address })
    expect(await channel.checkHealth()).toBe(true)
    expect(await channel.checkHealth('postgres')).toBe(true)

    const webhooks = new WebhooksServiceClientImpl(channel)
    await expect(webhooks.listWebhooks({ docId: 'any' })).rejects.toThrow()
  })

  it('says so when PostgreSQL is not there', async () => {
    const databaseUrl = 'postgres://nobody@127.0.0.1:1/none'
    await expect(startWebhook(webhookConfig(databaseUrl))).rejects.toMatchObject({
      reason: 'DATABASE_UNAVAILABLE',
    })
  })
})
