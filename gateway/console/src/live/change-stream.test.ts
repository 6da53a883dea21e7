import { ChangeStream } from './change-stream'

/** A stream of changes on the server. */
interface Stream {
  readonly since: string | null
  readonly send: (text: string) => void
  readonly end: () => void
  isClosed: boolean
}

let streams: Stream[] = []
/** The position of the document on the server. */
let seq = 0
/** Of the document on the server; another one when it was restored from a backup. */
let epoch = 'e'
let isDown = false
let isSignedOut = false
let isHidden = false
let look = () => {}
const page = {
  get hidden() {
    return isHidden
  },
  addEventListener(_: string, listener: () => void) {
    look = listener
  },
  removeEventListener() {},
}

/** Answers as the server does. */
async function answer(url: string, { signal }: { signal: AbortSignal }): Promise<Response> {
  if (isDown) throw new TypeError('no network')
  if (isSignedOut) return new Response('{"error":"sign in"}', { status: 401 })
  const { pathname, searchParams } = new URL(url)
  const headers = { ETag: `W/"${epoch}.${seq}"` }
  if (!pathname.endsWith('/changes')) return new Response('{"tables":[]}', { headers })
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start(controller) {
      const stream: Stream = {
        since: searchParams.get('since'),
        send: (text) => controller.enqueue(encoder.encode(text)),
        end: () => controller.close(),
        isClosed: false,
      }
      streams.push(stream)
      signal.addEventListener('abort', () => {
        stream.isClosed = true
        controller.error(signal.reason)
      })
    },
  })
  return new Response(body, { headers })
}

const change = (at: number) =>
  `id: ${at}\nevent: change\ndata: ${JSON.stringify({ seq: at, operations: [] })}\n\n`
const end = (reason: string) =>
  `event: end\ndata: ${JSON.stringify({ error: 'ended', details: { reason } })}\n\n`

describe('the changes of a document', () => {
  let close = () => {}
  const events: string[] = []
  /** Number of times that the log was told to be another one. */
  let otherLogs = 0
  const open = () => {
    const live = new ChangeStream('1')
    live.subscribe({
      onChange: (change) => events.push(`change ${change.seq}`),
      // Pages then read at the current position of the server.
      onGap: () => events.push(`read at ${seq}`),
      onOtherLog: () => (otherLogs += 1),
    })
    close = live.open()
    return live
  }
  const pass = (ms = 0) => jest.advanceTimersByTimeAsync(ms)
  /** Opens the page and waits until it is connected. */
  const connected = async () => {
    const live = open()
    await pass()
    events.length = 0
    return live
  }
  const last = () => streams.at(-1)

  beforeEach(() => {
    jest.useFakeTimers()
    Object.assign(globalThis, { document: page, fetch: answer, location: new URL('http://sheaf/') })
    events.length = 0
    streams = []
    seq = 5
    epoch = 'e'
    isDown = isHidden = isSignedOut = false
    otherLogs = 0
  })
  afterEach(() => {
    close()
    jest.useRealTimers()
  })

  it('made while the page was being loaded are read', async () => {
    open()
    await pass()
    // What the page shows may have been read before that position.
    expect([last()?.since, ...events]).toEqual(['5', 'read at 5'])
  })

  it('made after a known position are streamed', async () => {
    const live = new ChangeStream('1', { seq: 4, etag: 'W/"e.4"' })
    live.subscribe({
      onChange: ({ seq: at }) => events.push(`change ${at}`),
      onGap: () => events.push('read'),
    })
    close = live.open()
    await pass()
    last()?.send(change(5))
    await pass()
    expect([last()?.since, ...events]).toEqual(['4', 'change 5'])
  })

  it('are streamed from the position at which the page opens', async () => {
    const live = await connected()
    expect([last()?.since, live.readState()]).toEqual(['5', 'live'])
    last()?.send(change(6))
    await pass()
    expect(events).toEqual(['change 6'])
  })

  it('continue after the last one when the stream ends', async () => {
    const live = await connected()
    last()?.send(change(6))
    last()?.end()
    await pass()
    expect(live.readState()).toBe('connecting')
    await pass(1_000)
    expect([last()?.since, live.readState(), ...events]).toEqual(['6', 'live', 'change 6'])
  })

  it('made while the log was replaced are read, without missing any', async () => {
    await connected()
    last()?.send(end('CHANGES_CUT'))
    await pass()
    expect(events).toEqual(['read at 5'])
    // The document changes before the stream reconnects.
    seq = 8
    await pass(1_000)
    expect([last()?.since, ...events]).toEqual(['8', 'read at 5', 'read at 8'])
  })

  it('are read after Sheaf could not be reached at first', async () => {
    isDown = true
    const live = open()
    await pass(20_000)
    expect(live.readState()).toBe('off')
    isDown = false
    seq = 7
    await pass(30_000)
    expect([last()?.since, live.readState(), ...events]).toEqual(['7', 'live', 'read at 7'])
    expect(otherLogs).toBe(0)
  })

  it('continue after Sheaf could not be reached for a while', async () => {
    const live = await connected()
    last()?.send(change(6))
    await pass()
    isDown = true
    last()?.end()
    await pass(20_000)
    expect(live.readState()).toBe('off')
    isDown = false
    await pass(30_000)
    expect([last()?.since, live.readState(), ...events]).toEqual(['6', 'live', 'change 6'])
  })

  it.each([
    ['short', 0],
    ['long', 20_000],
  ])('of a document that was replaced during a %s outage are read', async (_, outageMs) => {
    await connected()
    last()?.send(change(6))
    isDown = outageMs > 0
    last()?.end()
    await pass(outageMs)
    epoch = 'restored'
    seq = 8
    isDown = false
    await pass(60_000)
    last()?.send(change(9))
    await pass()
    expect([last()?.since, ...events]).toEqual([
      '8',
      'change 6',
      'read at 8',
      'read at 8',
      'change 9',
    ])
    expect(otherLogs).toBe(1)
  })

  it.each([
    ['the same', 'e', 0],
    ['another', 'restored', 1],
  ])('are of %s log after the user was signed out', async (_, after, told) => {
    await connected()
    isSignedOut = true
    last()?.end()
    await pass(20_000)
    expect(events).toEqual(['read at 5'])
    isSignedOut = false
    epoch = after
    await pass(60_000)
    expect([last()?.since, ...events]).toEqual(['5', 'read at 5', 'read at 5'])
    expect(otherLogs).toBe(told)
  })

  it('are not streamed to hidden pages, and read when the page becomes visible', async () => {
    isHidden = true
    open()
    await pass()
    expect(streams).toEqual([])
    isHidden = false
    seq = 9
    look()
    await pass()
    expect([last()?.since, ...events]).toEqual(['9', 'read at 9'])
  })

  it('resume after the last one when a page becomes visible again', async () => {
    await connected()
    last()?.send(change(6))
    await pass()
    isHidden = true
    look()
    // The server sends a comment after each 15 seconds of silence.
    for (let seconds = 0; seconds < 60; seconds += 15) {
      await pass(14_000)
      last()?.send(':\n\n')
      await pass(1_000)
    }
    expect(last()?.isClosed).toBe(true)
    isHidden = false
    look()
    await pass()
    expect([last()?.since, streams.length, ...events]).toEqual(['6', 2, 'change 6'])
  })
})
