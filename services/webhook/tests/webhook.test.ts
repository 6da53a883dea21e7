import { openChannel } from '@sheaf/kit/grpc-client'
import { createTokenVerifier } from '@sheaf/kit/caller-token'
import { WebhooksServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { startWebhook } from '../src/service'

const config = { listen: '127.0.0.1:0', directoryAddress: '127.0.0.1:1' }
const verifier = createTokenVerifier(() => Promise.resolve({ keys: [] }))

describe('webhook', () => {
  it('says that it serves, and answers nothing else to a caller without a token', async () => {
    await using webhook = await startWebhook(config, { verifier })
    await using channel = openChannel({ address: webhook.address })
    expect(await channel.checkHealth()).toBe(true)

    const webhooks = new WebhooksServiceClientImpl(channel)
    await expect(webhooks.listWebhooks({ docId: 'any' })).rejects.toThrow()
  })
})
