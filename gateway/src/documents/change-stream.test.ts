import type { CallContext } from '@sheaf/protos/call'
import type { ReadChangesResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { AppError } from '@sheaf/kit/errors'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { streamChanges } from './change-stream'

type Responses = ReadChangesResponse[] | AsyncIterable<ReadChangesResponse>

/** One call to document-data that a stream makes: what it returns, or throws. */
type Answer = (call: CallContext) => Responses

/**
 * A stream of changes whose calls to document-data are answered by these, in order; then the gateway stops.
 */
class Followed {
  role = 'editors'
  sent = ''
  ended = false
  /** How long the client takes to read what is sent, by the fake clock. */
  takeMs = 0
  /** Called when access is resolved again. */
  onRenew = () => {}
  /** The roles that calls were made with. */
  readonly rolesAsked: string[] = []
  /** Names and values, alternating. */
  readonly headers: string[] = []
  /** The session that is present; undefined for a stream of changes only. */
  sessionId: string | undefined
  /** Who is present, for each call that watches it. */
  watch: () => AsyncIterable<object> = () => {
    throw new Error('not watched')
  }
  private draining = false

  constructor(private readonly answers: Answer[]) {}

  async run(): Promise<void> {
    await streamChanges(this.exchange(), this.document(), {
      since: 0,
      sessionId: this.sessionId,
    })
  }

  private document(): DocumentSession {
    const getRole = () => this.role
    return {
      docId: 'doc',
      get role() {
        return getRole()
      },
      renew: async () => Promise.resolve(this.onRenew()),
      read: (run: (home: object, call: object) => unknown) => {
        const readChanges = (_: object, call: CallContext) => this.read(call)
        const watchPresence = () => this.watch()
        return run({ changes: { readChanges }, presence: { watchPresence } }, {})
      },
    } as unknown as DocumentSession
  }

  private async *read(call: CallContext) {
    const answer = this.answers.shift()
    this.rolesAsked.push(this.role)
    if (this.answers.length === 0) this.draining = true
    yield* await Promise.resolve(answer?.(call) ?? [])
  }

  private exchange(): Exchange {
    const response = {
      headersSent: false,
      destroyed: false,
      writeHead: () => (response.headersSent = true),
      write: (bytes: Buffer) => {
        this.sent += bytes.toString()
        jest.advanceTimersByTime(this.takeMs)
        return true
      },
      end: (text = '') => {
        this.sent += text
        this.ended = true
      },
      destroy: () => (response.destroyed = true),
    }
    const load = { changeStreams: { acquire: () => () => {} }, begun: 0, pacedResponses: 0 }
    const isDraining = () => this.draining
    const { signal } = new AbortController()
    const context = { config: {}, load, isDraining, log: { warn: () => {} } }
    const breakOff = () => response.destroy()
    return {
      context,
      response,
      signal,
      breakOff,
      headers: this.headers,
      request: {},
      deadline: Infinity,
    } as unknown as Exchange
  }
}

const state = (latestSeq: number, epoch = 'epoch'): ReadChangesResponse => ({
  change: undefined,
  continued: false,
  latestSeq,
  etag: `${epoch}.${latestSeq}`,
})

const change = (seq: number): ReadChangesResponse => ({
  change: ChangeEvent.fromPartial({ seq }),
  continued: false,
  latestSeq: seq,
  etag: '',
})

const seqsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))

describe('a stream of changes', () => {
  beforeEach(() => jest.useFakeTimers({ advanceTimers: true }))
  afterEach(() => jest.useRealTimers())

  it('ends, between two events, when the gateway stops', async () => {
    const stream = new Followed([
      () => [state(1), change(1)],
      () => [state(3), change(2), change(3)],
    ])
    await stream.run()
    expect(seqsOf(stream.sent)).toEqual([1, 2, 3])
    expect(stream.sent.endsWith('\n\n')).toBe(true)
    expect(stream.ended).toBe(true)
  })

  it.each([
    ['longer', 9],
    ['shorter', 1],
  ])('ends when the document was replaced by one with a %s log', async (_, latestSeq) => {
    const stream = new Followed([
      () => [state(2), change(1), change(2)],
      () => [state(latestSeq, 'other'), change(3)],
    ])
    await stream.run()
    expect(seqsOf(stream.sent)).toEqual([1, 2])
    expect(stream.sent).toMatch(/event: end\ndata: .*"CHANGES_CUT".*\n\n$/)
  })

  it.each([
    ['editors', 'W/"epoch.2-events"'],
    ['viewers', 'W/"epoch.2-new-events"'],
  ])('has the ETag of the document, for %s', async (role, etag) => {
    const stream = new Followed([() => [state(2), change(1)], () => [state(3), change(3)]])
    stream.role = role
    await stream.run()
    expect(stream.headers.join()).toContain(`Vary,Accept,ETag,${etag},`)
  })

  it('sends a comment after 15 seconds of silence, also while the service is away', async () => {
    const silence = () => {
      jest.setSystemTime(Date.now() + 16_000)
      jest.advanceTimersByTime(16_000)
      return [state(1)]
    }
    const away = () => {
      silence()
      throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away')
    }
    const stream = new Followed([
      () => [state(1), change(1)],
      silence,
      away,
      away,
      () => [state(1)],
      () => [state(1)],
    ])
    await stream.run()
    const [, afterChange] = stream.sent.split('"operations":[]}\n\n')
    expect(afterChange).toBe(':\n\n'.repeat(3))
  })

  it('passes nothing on that was read with a role that was taken away meanwhile', async () => {
    const stream = new Followed([
      () => [state(1), change(1)],
      () => {
        stream.role = 'viewers'
        return [state(2), change(7)]
      },
      () => [state(2), change(2)],
    ])
    await stream.run()
    expect(seqsOf(stream.sent)).toEqual([1, 2])
  })

  it('passes nothing on, of what was read at once, after a role was taken away in the middle of it', async () => {
    const stream = new Followed([
      () => [state(3), change(1), change(2), change(3)],
      () => [state(3), change(2), change(3)],
    ])
    stream.takeMs = 3_000
    stream.onRenew = () => {
      if (seqsOf(stream.sent).includes(1)) stream.role = 'viewers'
    }
    await stream.run()
    expect(stream.rolesAsked).toEqual(['editors', 'viewers'])
    expect(seqsOf(stream.sent)).toEqual([1, 2, 3])
  })

  it('breaks off within a change when the role is taken away, and not when nobody can be asked', async () => {
    const parts = [true, true, false].map((continued) => ({ ...change(1), continued }))
    const follow = async (onRenew: (stream: Followed) => void) => {
      const stream = new Followed([() => [state(1), ...parts]])
      stream.takeMs = 3_000
      stream.onRenew = () => {
        if (stream.sent.includes('id: 1')) onRenew(stream)
      }
      await stream.run()
      return { isWhole: stream.sent.endsWith(']}\n\n'), ended: stream.ended }
    }
    const lowered = await follow((stream) => (stream.role = 'viewers'))
    expect(lowered).toEqual({ isWhole: false, ended: false })
    const unanswered = await follow(() => {
      throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away')
    })
    expect(unanswered).toEqual({ isWhole: true, ended: true })
  })

  it('gives a client all the time that it takes for one large entry', async () => {
    const part = (continued: boolean) => ({ ...change(1), continued })
    async function* large({ signal, deadline }: CallContext) {
      expect(deadline).toBeUndefined()
      yield state(1)
      for (let i = 0; i < 5; i++) {
        await Promise.resolve()
        if (signal?.aborted) throw signal.reason
        yield part(i < 4)
      }
    }
    const stream = new Followed([large])
    stream.takeMs = 25_000
    await stream.run()
    expect(seqsOf(stream.sent)).toEqual([1])
    expect(stream.sent.endsWith(']}\n\n')).toBe(true)
    expect(stream.ended).toBe(true)
  })

  /** A service that sends these responses and then stalls. */
  async function* stalled({ signal }: CallContext, ...told: ReadChangesResponse[]) {
    yield* told
    void Promise.resolve().then(() => jest.advanceTimersByTime(30_000))
    await new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  }

  it('asks a service anew that stalls, and breaks off an entry that it stalls within', async () => {
    const stream = new Followed([
      () => [state(1), change(1)],
      (call) => stalled(call),
      () => [state(2), change(2)],
      (call) => stalled(call, state(3), { ...change(3), continued: true }),
      () => [state(3), change(3)],
    ])
    await stream.run()
    expect(seqsOf(stream.sent)).toEqual([1, 2, 3])
    expect(stream.sent.endsWith('\n\n')).toBe(false)
    expect(stream.ended).toBe(false)
  })

  it('has who is present between two changes, the latest list each, and never within a change', async () => {
    const lists = ['Ada', 'Bob', 'Cleo'].map((name, index) => ({
      unchanged: false,
      sessions: [{ userId: index, name, sessionId: 'one', place: undefined }],
    }))
    const part = (seq: number, continued: boolean) => ({ ...change(seq), continued })
    let isWatched = () => {}
    const watched = new Promise<void>((resolve) => (isWatched = resolve))
    let isDone = () => {}
    const done = new Promise<void>((resolve) => (isDone = resolve))
    async function* large() {
      await watched
      yield* [state(2), part(2, true)]
      isMidway()
      await done
      yield part(2, false)
    }
    let isMidway = () => {}
    const midway = new Promise<void>((resolve) => (isMidway = resolve))
    const stream = new Followed([() => [state(1), change(1)], large, () => [state(2)]])
    stream.sessionId = 'one'
    stream.watch = async function* () {
      yield lists[0] ?? {}
      isWatched()
      await midway
      yield* lists.slice(1)
      isDone()
    }
    await stream.run()
    expect(
      stream.sent.split('\n\n').map((event) => /"name":"(\w+)"|id: \d/.exec(event)?.[0]),
    ).toEqual([undefined, 'id: 1', '"name":"Ada"', 'id: 2', '"name":"Cleo"', undefined])
  })

  it('has nothing of who is present while it cannot be known', async () => {
    const stream = new Followed([() => [state(1), change(1)], () => [state(2), change(2)]])
    stream.sessionId = 'one'
    await stream.run()
    expect(stream.sent).not.toContain('presence')
    expect(seqsOf(stream.sent)).toEqual([1, 2])
    expect(stream.ended).toBe(true)
  })
})
