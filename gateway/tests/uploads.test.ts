import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  UploadAttachmentResponse,
  type UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { eventually } from '@sheaf/testkit/eventually'
import fc from 'fast-check'
import { RawConnection } from './support/raw-http'
import { DOC, startStubbedGateway, type StubbedGateway } from './support/stub-services'

const PART = '--XX\r\nContent-Disposition: form-data; name="upload"; filename="a"\r\n\r\n'

/** What document-data got of an upload. */
class Received {
  bytes = 0
  complete = false
  ended = false
  cancelled = false
  /** Throws so many bytes into an upload. */
  refusesAt = Infinity

  readonly uploadAttachment = async (
    parts: AsyncIterable<UploadAttachmentRequest>,
    call: ServerCall,
  ): Promise<UploadAttachmentResponse> => {
    call.signal.addEventListener('abort', () => (this.cancelled = true))
    try {
      for await (const { part } of parts) {
        if (part?.$case === 'chunk') this.bytes += part.value.length
        if (part?.$case === 'complete') this.complete = part.value
        if (this.bytes >= this.refusesAt)
          throw new AppError('too_large', 'ATTACHMENT_TOO_LARGE', 'too large for this test')
      }
    } finally {
      this.ended = true
    }
    return UploadAttachmentResponse.fromPartial({ attachments: [{ id: 7 }] })
  }
}

let gateway: StubbedGateway
let received: Received
const connections: RawConnection[] = []
beforeEach(async () => {
  received = new Received()
  const { uploadAttachment } = received
  gateway = await startStubbedGateway({ attachments: { uploadAttachment } })
})
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

/** Begins an upload of so many bytes. */
async function begin(
  length: number,
  { key = 'bob-key', more = [] as readonly string[], url = gateway.url } = {},
): Promise<RawConnection> {
  const connection = await RawConnection.open(url)
  connections.push(connection)
  connection.send([
    `POST /api/docs/${DOC}/attachments HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: multipart/form-data; boundary=XX',
    `Content-Length: ${length}`,
    ...more,
    '',
    '',
  ])
  return connection
}

describe('an upload', () => {
  it('that stalls is answered 504, and never counts as whole', async () => {
    const { uploadAttachment } = received
    await using hasty = await startStubbedGateway({
      attachments: { uploadAttachment },
      config: { timeouts: { stallMs: 3_000 } },
    })
    const sent = await begin(1_000_000, { url: hasty.url })
    sent.socket.write(`${PART}some bytes`)
    await eventually(() => sent.received.includes('HTTP/1.1 504'))
    await eventually(() => received.ended)
    expect([received.complete, received.cancelled]).toEqual([false, true])
  })

  it('whose client goes away is cancelled', async () => {
    const { socket } = await begin(1_000_000)
    socket.write(`${PART}some bytes`)
    await eventually(() => received.bytes > 0)
    socket.destroy()
    await eventually(() => received.ended)
    expect([received.complete, received.cancelled]).toEqual([false, true])
  })

  it('that is refused half-way is answered while its client still sends', async () => {
    received.refusesAt = 100_000
    const sent = await begin(50_000_000)
    sent.socket.write(PART + 'x'.repeat(200_000))
    await eventually(() => sent.received.includes('HTTP/1.1 413'))
    expect(sent.received).toContain('too large for this test')
    expect(received.bytes).toBeLessThan(1_000_000)
  })

  it('of any bytes is taken whole or refused, and nothing hangs', async () => {
    const whole = Buffer.from(`${PART}some bytes\r\n${PART}more\r\n--XX--\r\n`)
    const edit = fc.record({
      at: fc.nat(whole.length),
      cut: fc.nat(20),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.constantFrom('\r\n', '--XX', '--XX--', 'filename=', '"', '\r\n\r\n').map(Buffer.from),
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const body = edits.reduce(
          (bytes: Buffer, { at, cut, insert }) =>
            Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + cut)]),
          whole,
        )
        received.complete = false
        const sent = await begin(body.length, { more: ['Connection: close'] })
        sent.socket.write(body)
        await eventually(() => sent.isClosed)
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(sent.received)?.[1])
        expect([200, 400]).toContain(status)
        expect(received.complete).toBe(status === 200)
      }),
      { numRuns: 150 },
    )
  })

  it('is asked for only when the caller may write', async () => {
    const expects = { more: ['Expect: 100-continue'] }
    const refused = await begin(1_000_000, { key: 'carol-key', ...expects })
    await eventually(() => refused.received.includes('HTTP/1.1 403'))
    expect(refused.received).not.toContain('100 Continue')
    const body = `${PART}x\r\n--XX--\r\n`
    const taken = await begin(body.length, expects)
    await eventually(() => taken.received.includes('100 Continue'))
    taken.socket.write(body)
    await eventually(() => taken.received.includes('[7]'))
    expect(received).toMatchObject({ bytes: 1, complete: true })
  })

  it('is read no faster than document-data takes it', async () => {
    let go = () => {}
    const mayGo = new Promise<void>((resolve) => (go = resolve))
    const { uploadAttachment } = received
    await using slow = await startStubbedGateway({
      attachments: {
        uploadAttachment: async (parts, call) => {
          await mayGo
          return uploadAttachment(parts, call as ServerCall)
        },
      },
    })
    const size = 40_000_000
    const tail = '\r\n--XX--\r\n'
    const sent = await begin(PART.length + size + tail.length, { url: slow.url })
    sent.socket.write(PART)
    sent.socket.write(Buffer.alloc(size, 'x'))
    sent.socket.write(tail)
    // The kernel and the windows of HTTP/2 hold some of it, and nobody the rest.
    let before = -1
    await eventually(
      () => {
        const isSteady = sent.socket.writableLength === before
        before = sent.socket.writableLength
        return isSteady
      },
      { everyMs: 200 },
    )
    expect(sent.socket.writableLength).toBeGreaterThan(0)
    go()
    await eventually(() => sent.received.includes('[7]'))
    expect(received.bytes).toBe(size)
  })
})
