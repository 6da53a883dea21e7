import { ChangeStream } from './change-stream'

type Handler = (event: { data: string }) => void

/** An EventSource whose events a test emits. */
class Source {
  static readonly CLOSED = 2
  static all: Source[] = []
  readonly handlers: Record<string, Handler> = {}
  readyState = 1
  onopen = () => {}
  onerror = () => {}

  constructor(readonly url: string) {
    Source.all.push(this)
  }

  addEventListener(name: string, handler: Handler): void {
    this.handlers[name] = handler
  }

  close(): void {
    this.readyState = Source.CLOSED
  }

  emit(seq: number): void {
    this.handlers.change?.({ data: JSON.stringify({ seq, operations: [] }) })
  }
}

/** The position of the document on the server. */
let seq = 0
let isDown = false
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

async function answer() {
  if (isDown) throw new Error('no network')
  const headers = new Headers({ ETag: `W/"e.${seq}"`, 'Content-Type': 'application/json' })
  return { ok: true, headers, text: async () => '{"tables":[]}' }
}

describe('the changes of a document', () => {
  let close = () => {}
  const events: string[] = []
  const open = () => {
    const live = new ChangeStream('1')
    live.subscribe({
      onChange: (change) => events.push(`change ${change.seq}`),
      // Pages then read at the current position of the server.
      onGap: () => events.push(`read at ${seq}`),
    })
    close = live.open()
    return live
  }
  const settle = () => jest.advanceTimersByTimeAsync(0)
  const last = () => Source.all.at(-1)
  const since = () => new URL(last()?.url ?? '', 'http://sheaf').searchParams.get('since')

  beforeEach(() => {
    jest.useFakeTimers()
    Object.assign(globalThis, { document: page, EventSource: Source, fetch: answer })
    events.length = 0
    Source.all = []
    seq = 5
    isDown = isHidden = false
  })
  afterEach(() => {
    close()
    jest.useRealTimers()
  })

  it('are streamed from the position at which the page opens', async () => {
    open()
    await settle()
    expect(since()).toBe('5')
    last()?.emit(6)
    expect(events).toEqual(['change 6'])
  })

  it('made while the stream was disconnected are read, without missing any', async () => {
    open()
    await settle()
    const { handlers } = last() ?? {}
    handlers?.end?.({ data: '{}' })
    expect(events).toEqual(['read at 5'])
    // The document changes before the stream reconnects.
    seq = 8
    await jest.advanceTimersByTimeAsync(1_000)
    expect([since(), ...events]).toEqual(['8', 'read at 5', 'read at 8'])
  })

  it('are read after Sheaf could not be reached at first', async () => {
    isDown = true
    const live = open()
    await settle()
    expect(live.readState()).toBe('off')
    isDown = false
    seq = 7
    await jest.advanceTimersByTimeAsync(1_000)
    expect([since(), ...events]).toEqual(['7', 'read at 7'])
  })

  it('are not streamed to hidden pages, and read when the page becomes visible', async () => {
    isHidden = true
    open()
    await settle()
    expect(Source.all).toEqual([])
    isHidden = false
    seq = 9
    look()
    await settle()
    expect([since(), ...events]).toEqual(['9', 'read at 9'])
  })

  it('resume after the last one when a page becomes visible again', async () => {
    open()
    await settle()
    last()?.emit(6)
    isHidden = true
    look()
    await jest.advanceTimersByTimeAsync(60_000)
    expect(last()?.readyState).toBe(Source.CLOSED)
    isHidden = false
    look()
    await settle()
    expect([since(), Source.all.length, ...events]).toEqual(['6', 2, 'change 6'])
  })
})
