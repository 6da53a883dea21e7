import { randomUUID } from 'node:crypto'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { ChangeConsumer } from '../src/changes/change-consumer'
import { ensureStream } from './matching-instance'

describe('ChangeConsumer', () => {
  it('ends although it is told to while it begins to listen', async () => {
    const log = createLogger('test')
    const { natsUrl } = testEngines()
    const nats = await connectNats({ url: natsUrl, name: 'test', log })
    await ensureStream(nats)
    await nats.close()
    let leaving: Promise<void> | undefined
    const consumer = new ChangeConsumer({
      natsUrl,
      consumerName: `test-${randomUUID()}`,
      log,
      onMessage: () => Promise.resolve(),
      wants: () => true,
      onGap() {
        leaving = consumer[Symbol.asyncDispose]()
        return Promise.resolve()
      },
      onConnected: () => {},
    })
    consumer.start()
    await eventually(() => leaving !== undefined)
    await leaving
  })
})
