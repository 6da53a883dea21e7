import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Ask, GatewayPool } from './gateway-pool'

/**
 * Pause between the requests of one client: a steady load that leaves the machine capacity to start
 * processes.
 */
const PACE_MS = 25

/**
 * Clients that read, write with an Idempotency-Key, query and follow changes at a steady pace. They retry
 * after a 503 as `Retry-After` requires; any other status than 200 is a fault.
 */
export class SteadyLoad implements AsyncDisposable {
  /** Faults: what no client may see. */
  readonly faults: string[] = []
  /** Words whose write was acknowledged with 200. */
  readonly written: string[] = []
  /** Requests that had to be retried. */
  refused = 0
  /** Position of the last change received. */
  followedSeq = 0
  private readonly answered = new Map<string, number>()
  /** When each request that is not answered yet was sent, by `performance.now()`; oldest first. */
  private readonly open = new Set<{ readonly since: number }>()
  private readonly ended = new AbortController()
  private readonly workers: Promise<void>[]
  private readonly follower: Promise<void>

  /** @param doc path of a document with a table Words */
  constructor(
    private readonly pool: GatewayPool,
    private readonly doc: string,
  ) {
    const get = (path: string) => () => this.ask({ method: 'GET', path })
    const body = { sql: 'select count(*) as n from Words' }
    this.workers = [
      this.repeat('write', (round) => this.write(`a-${round}`)),
      this.repeat('write', (round) => this.write(`b-${round}`)),
      this.repeat('read', get(`${doc}/tables/Words/records?limit=20`)),
      this.repeat('query', () => this.ask({ method: 'POST', path: `${doc}/sql`, body })),
      this.repeat('sites', get('/api/orgs')),
      this.repeat('webhooks', get(`${doc}/webhooks`)),
    ]
    this.follower = this.follow()
  }

  /** The smallest number of replies of any kind of client. */
  get progress(): number {
    return Math.min(...kinds.map((kind) => this.answered.get(kind) ?? 0))
  }

  /** Milliseconds for which the oldest request has been waiting for its answer. */
  get waitingMs(): number {
    const [oldest] = this.open
    return oldest ? performance.now() - oldest.since : 0
  }

  /** Stops the clients that send requests; resolves at the last reply. Those that follow changes continue. */
  async stop(): Promise<void> {
    this.ended.abort()
    await Promise.all(this.workers)
  }

  /** Stops all clients. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    this.hangUp()
    await this.follower
  }

  private hangUp: () => void = () => {}

  private async repeat(kind: string, run: (round: number) => Promise<unknown>): Promise<void> {
    const { signal } = this.ended
    for (let round = 0; !signal.aborted; round++) {
      if ((await run(round)) !== undefined)
        this.answered.set(kind, (this.answered.get(kind) ?? 0) + 1)
      await delay(PACE_MS, undefined, { signal }).catch(() => {})
    }
  }

  private async write(word: string): Promise<Answer | undefined> {
    const answer = await this.ask({
      method: 'POST',
      path: `${this.doc}/tables/Words/records`,
      headers: { 'idempotency-key': randomUUID() },
      body: { records: [{ fields: { Word: word } }] },
    })
    if (answer) this.written.push(word)
    return answer
  }

  /** Retries until the reply is not a 503; undefined when the reply is a fault. */
  private async ask(ask: Ask): Promise<Answer | undefined> {
    for (;;) {
      const request = { since: performance.now() }
      this.open.add(request)
      try {
        const answer = await this.pool.choose().send(ask)
        if (answer.status === 200) return answer
        if (!(await this.mayRepeat(ask, answer))) return undefined
      } catch (error) {
        this.faults.push(`${ask.method} ${ask.path}: ${String(error)}`)
        return undefined
      } finally {
        this.open.delete(request)
      }
    }
  }

  /** Waits as long as a 503 requires. Any other reply is a fault and returns false. */
  private async mayRepeat(ask: Ask, { status, headers, text }: Answer): Promise<boolean> {
    const seconds = Number(headers['retry-after'])
    if (status !== 503 || !(seconds > 0)) {
      this.faults.push(`${ask.method} ${ask.path} answered ${status}: ${text.slice(0, 300)}`)
      return false
    }
    this.refused++
    await delay(seconds * 1000)
    return true
  }

  private async follow(): Promise<void> {
    let isOver = false
    while (!isOver) {
      const ask: Ask = {
        method: 'GET',
        path: `${this.doc}/changes`,
        headers: { accept: 'text/event-stream', 'last-event-id': String(this.followedSeq) },
      }
      try {
        const response = await this.pool.choose().open(ask)
        this.hangUp = () => {
          isOver = true
          response.destroy()
        }
        const { statusCode: status = 0, headers } = response
        let text = ''
        for await (const chunk of response) {
          text += String(chunk)
          if (status === 200) text = this.takeEvents(text)
        }
        if (status !== 200 && !(await this.mayRepeat(ask, { status, headers, text }))) return
      } catch (error) {
        if (isOver) return
        this.faults.push(`the stream of changes broke off: ${String(error)}`)
      }
    }
  }

  /** Handles the complete events, each of which must be the next; returns the remaining text. */
  private takeEvents(text: string): string {
    const events = text.split('\n\n')
    const rest = events.pop() ?? ''
    for (const event of events) {
      if (event.startsWith('event: end')) this.faults.push(`the stream of changes ended: ${event}`)
      const seq = Number(/^id: (\d+)$/m.exec(event)?.[1] ?? 0)
      if (seq === 0) continue
      if (seq !== this.followedSeq + 1)
        this.faults.push(`change ${seq} was told after ${this.followedSeq}`)
      this.followedSeq = seq
    }
    return rest
  }
}

const kinds = ['write', 'read', 'query', 'sites', 'webhooks'] as const
