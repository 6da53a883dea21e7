import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  RestoreAttachmentsResponse,
  UploadAttachmentResponse,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { ImportTablesResponse } from '@sheaf/protos/sheaf/document_data/v1/import'
import { eventually } from '@sheaf/testkit/eventually'
import { RawConnection } from './support/raw-http'
import { DOC, startStubbedGateway, type StubbedGateway } from './support/stub-services'

type Parts = AsyncIterable<{
  readonly part?: { readonly $case: string; readonly value: unknown } | undefined
}>

/** What document-data got of an upload. */
class Received {
  bytes = 0
  isCancelled = false
  private hasEnded = false
  /** When what has arrived is stored. */
  mayStore = Promise.resolve()

  /** True once all of it has arrived, so that it is stored. A call that is cancelled ends its upload as well. */
  get isWhole(): boolean {
    return this.hasEnded && !this.isCancelled
  }

  async take(parts: Parts, { signal }: ServerCall): Promise<void> {
    signal.addEventListener('abort', () => (this.isCancelled = true))
    for await (const { part } of parts)
      if (part?.$case === 'chunk') this.bytes += (part.value as Uint8Array).length
    this.hasEnded = true
    await this.mayStore
  }
}

let gateway: StubbedGateway
let received: Received
beforeEach(async () => {
  received = new Received()
  const taking = received
  gateway = await startStubbedGateway({
    attachments: {
      uploadAttachment: async (parts, call) => {
        await taking.take(parts, call as ServerCall)
        return UploadAttachmentResponse.fromPartial({ attachments: [{ id: 7 }] })
      },
      restoreAttachments: async (parts, call) => {
        await taking.take(parts, call as ServerCall)
        return RestoreAttachmentsResponse.fromPartial({})
      },
    },
    imports: {
      async *importTables(parts, call) {
        await taking.take(parts, call as ServerCall)
        yield ImportTablesResponse.fromPartial({ part: { $case: 'done', value: { seq: 1 } } })
      },
    },
  })
})
afterEach(async () => {
  jest.restoreAllMocks()
  await gateway[Symbol.asyncDispose]()
})

const uploads = [
  ['an upload of attachments', 'attachments'],
  ['an archive of attachments', 'attachments/archive'],
  ['an import', 'import'],
] as const

const HEAD = '--XX\r\nContent-Disposition: form-data; name="upload"; filename="a.tar"\r\n\r\n'
const TAIL = '\r\n--XX--\r\n'

/** Begins an upload with all but the end of its form, which document-data has then. */
async function begin(path: string): Promise<RawConnection> {
  const connection = await RawConnection.open(gateway.url)
  connection.send([
    `POST /api/docs/${DOC}/${path} HTTP/1.1`,
    'Host: x',
    'Authorization: Bearer alice-key',
    'Content-Type: multipart/form-data; boundary=XX',
    `Content-Length: ${HEAD.length + 10_000 + TAIL.length}`,
    '',
    HEAD + 'x'.repeat(10_000),
  ])
  await eventually(() => received.bytes > 0)
  return connection
}

function endAccess(): void {
  gateway.access.beforeAnswer = ({ document }) => {
    if (document !== '') throw new AppError('forbidden', 'ACCESS_DENIED', 'No edit access')
  }
  gateway.access.change()
}

describe.each(uploads)('%s', (_, path) => {
  it('of someone whose access ends before its last part is refused and stores nothing', async () => {
    await using sent = await begin(path)
    endAccess()
    const now = performance.now.bind(performance)
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_500)
    sent.socket.write(TAIL)
    await eventually(() => sent.received.startsWith('HTTP/1.1 '))
    expect(sent.received).toMatch(/^HTTP\/1\.1 403 [^]*ACCESS_DENIED/)
    await eventually(() => received.isCancelled)
    expect(received.isWhole).toBe(false)
  })

  it('of someone whose access ends is broken off while it arrives', async () => {
    await using sent = await begin(path)
    endAccess()
    await eventually(() => received.isCancelled)
    await eventually(() => sent.received.includes('HTTP/1.1 403'))
    expect(received.isWhole).toBe(false)
  })

  it('of someone whose access ends is broken off before it is stored', async () => {
    let store = () => {}
    received.mayStore = new Promise((resolve) => (store = resolve))
    await using sent = await begin(path)
    sent.socket.write(TAIL)
    await eventually(() => received.isWhole)
    endAccess()
    await eventually(() => received.isCancelled)
    await eventually(() => sent.received.includes('HTTP/1.1 403'))
    store()
  })
})
