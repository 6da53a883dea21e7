import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import { createRest } from '@sheaf/testkit/rest'
import { DOC, startStubbedGateway } from './support/stub-services'

const path = `/api/docs/${DOC}/webhooks`

describe('webhooks', () => {
  it('are asked for with the token of the caller for the document, anew when it is not taken', async () => {
    const callers: unknown[] = []
    const listWebhooks = async ({ docId }: { docId: string }, { caller }: ServerCall) => {
      callers.push([docId, caller.userId, caller.role])
      if (callers.length === 1)
        throw new AppError(
          'unauthenticated',
          'BAD_CALLER_TOKEN',
          'a valid caller token is required',
        )
      return { webhooks: [] }
    }
    await using system = await startStubbedGateway({ webhooks: { listWebhooks } })
    const reply = await createRest(system.url, 'alice-key').get(path)
    expect([reply.status, reply.body]).toEqual([200, { webhooks: [] }])
    expect(callers).toEqual(Array(2).fill([DOC, 1, 'owners']))
    expect((await createRest(system.url, 'bob-key').get(path)).status).toBe(403)
    expect(callers).toHaveLength(2)
  })

  it('are refused with 503 while their service, or the document, is away', async () => {
    const deleteWebhook = () =>
      Promise.reject(new AppError('unavailable', 'HOME_UNAVAILABLE', 'not reachable, try again'))
    const config = { webhookAddress: '127.0.0.1:1' }
    await using system = await startStubbedGateway({ webhooks: { deleteWebhook } })
    await using alone = await startStubbedGateway({ config })
    for (const [{ url }, reason] of [
      [system, 'HOME_UNAVAILABLE'],
      [alone, 'SERVICE_UNAVAILABLE'],
    ] as const) {
      const reply = await createRest(url, 'alice-key').delete(`${path}/any`)
      expect(reply).toMatchObject({ status: 503, body: { details: { reason } } })
      expect(reply.headers.get('retry-after')).toBe('2')
    }
  })
})
