import type { ServerDuplexStream } from '@grpc/grpc-js'
import type { ExchangeRequest, ExchangeResponse } from '@sheaf/protos/sheaf/transport/v1/transport'
import { eventually } from '@sheaf/testkit/eventually'
import { PART, SHORT } from './limits'
import { ReplyQueue, type Lane } from './reply-queue'

/** A stream whose messages go to the socket one at a time, when `take` is called. */
class FakeStream {
  paused = false
  readonly written: ExchangeResponse[] = []
  private readonly callbacks: (() => void)[] = []

  write(message: ExchangeResponse, done: () => void): boolean {
    this.written.push(message)
    this.callbacks.push(done)
    return true
  }

  isPaused = () => this.paused
  pause = () => void (this.paused = true)
  resume = () => void (this.paused = false)
  end = () => {}

  /** The socket takes the oldest message; returns it. */
  async take(): Promise<ExchangeResponse> {
    await eventually(() => this.written.length > 0)
    this.callbacks.shift()?.()
    return this.written.shift() as ExchangeResponse
  }
}

function createQueue() {
  const stream = new FakeStream()
  const queue = new ReplyQueue(
    stream as unknown as ServerDuplexStream<ExchangeRequest, ExchangeResponse>,
    () => {},
  )
  const reply = (lane: Lane, id: number, isPaced = false) => {
    const payload = Buffer.alloc(lane === 'short' ? SHORT : PART)
    queue.reply(lane, { id, payload, continues: false, isPaced })
  }
  return { stream, queue, reply }
}

/** Takes messages until one has the reply; returns the ids of all replies so far. */
async function takeUntil(stream: FakeStream, id: number): Promise<number[]> {
  const ids: number[] = []
  while (!ids.includes(id)) ids.push(...(await stream.take()).replies.map((reply) => reply.id))
  return ids
}

describe('replies that wait for the socket', () => {
  it('are sent short ones first', async () => {
    const { stream, reply } = createQueue()
    for (const id of [1, 2]) reply('long', id)
    for (const id of [3, 4]) reply('short', id)
    expect((await takeUntil(stream, 1)).slice(0, 2)).toEqual([3, 4])
  })

  it('are sent long ones too while short ones never end', async () => {
    const { stream, reply } = createQueue()
    const LONG = 1
    let next = LONG
    const refill = () => {
      for (let count = 0; count < 20; count++) reply('short', ++next)
    }
    refill()
    reply('long', LONG)
    for (let messages = 0; messages < 3; messages++) {
      const { replies } = await stream.take()
      if (replies.some(({ id }) => id === LONG)) return
      refill()
    }
    throw new Error('the long reply waits for the short ones')
  })

  it('keep the order of an answer whose messages become long', async () => {
    const { stream, reply } = createQueue()
    for (let id = 1; id <= 20; id++) reply('short', id)
    const sizes: number[] = []
    reply('short', 21)
    reply('long', 21)
    while (sizes.length < 2) {
      const { replies } = await stream.take()
      sizes.push(...replies.filter(({ id }) => id === 21).map(({ payload }) => payload.length))
    }
    expect(sizes).toEqual([SHORT, PART])
  })

  it('delay the end of their own call, and of no other', async () => {
    const { stream, queue, reply } = createQueue()
    for (let id = 1; id <= 8; id++) reply('long', id)
    reply('short', 9)
    queue.complete(8)
    queue.complete(9)
    const first = await stream.take()
    expect(first.completedIds).toEqual([9])
    const ended: number[] = []
    const sent: number[] = []
    while (ended.length === 0) {
      const { replies, completedIds } = await stream.take()
      sent.push(...replies.map(({ id }) => id))
      ended.push(...completedIds)
    }
    expect(ended).toEqual([8])
    expect(sent).toContain(8)
  })

  it('leave room to streamed answers when they do not wait themselves, and pause the reading of calls', async () => {
    const { stream, queue, reply } = createQueue()
    for (let id = 1; id <= 40; id++) reply('short', id)
    expect(queue.hasRoom).toBe(true)
    expect(stream.paused).toBe(true)
    for (let id = 41; id <= 43; id++) reply('long', id, true)
    expect(queue.hasRoom).toBe(false)
    while (!queue.isEmpty || stream.written.length > 0) await stream.take()
    expect(queue.hasRoom).toBe(true)
    expect(stream.paused).toBe(false)
  })
})
