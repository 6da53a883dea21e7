import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import { addTable, newDocument, readRecords, type RestRecord } from '../../support/system'
import { readChanges } from './change-log'
import { docIdOf } from './document-file'
import { BrokenOff, type Answer, type Ask, type GatewayPool } from './gateway-pool'
import { readPublished } from './published-seqs'
import { findBrokenPromises, GROUP } from './check-record'
import {
  digestOf,
  DocumentRecord,
  seqOf,
  type KeptReply,
  type RecordedWrite,
  type SeenRow,
} from './record'

/** Pause between the requests of one client, so that the machine has capacity to start processes. */
const PACE_MS = 30
/** The log database did not answer a write within a second, as on a busy machine, wherever its document is. */
const NOT_STORED = 'the write could not be stored'
/** Every so many writes, an earlier one is repeated. */
const REPEAT_EVERY = 5

/**
 * Clients of some documents that write with and without a key, read, repeat earlier writes and follow changes, through
 * several gateways. Each request and its answer is recorded.
 */
export class RecordedLoad implements AsyncDisposable {
  readonly records: readonly DocumentRecord[]
  private refusedCount = 0
  private isOver = false
  private readonly workers: Promise<void>[]
  private readonly followers: Follower[]

  private constructor(
    private readonly pool: GatewayPool,
    private readonly rest: Rest,
    paths: readonly string[],
  ) {
    this.records = paths.map((path) => new DocumentRecord(path))
    this.workers = this.records.flatMap((record) => [
      this.repeat((round) => this.writeWithKey(record, 'a', round)),
      this.repeat((round) => this.writeWithKey(record, 'b', round)),
      this.repeat((round) => this.writeOnce(record, 'c', round)),
      this.repeat((round) => this.writeOnce(record, 'g', round)),
      this.repeat((round) => this.writeOnce(record, 'h', round)),
      this.repeat(() => this.read(record, 'd')),
      this.repeat(() => this.read(record, 'e')),
    ])
    this.followers = this.records.map((record) => new Follower(pool, record, 'f'))
  }

  /** Starts with these documents, which `createDocuments` has made, or with new ones. */
  static async start(
    pool: GatewayPool,
    rest: Rest,
    paths?: readonly string[],
  ): Promise<RecordedLoad> {
    return new RecordedLoad(pool, rest, paths ?? (await RecordedLoad.createDocuments(rest)))
  }

  /** Creates two documents; resolves to their paths. */
  static async createDocuments(rest: Rest): Promise<string[]> {
    const paths: string[] = []
    for (let count = 0; count < 2; count++) {
      const path = await newDocument(rest, `Recorded ${count}`)
      await addTable(rest, path, 'Words', { Word: 'Text', Version: 'Int' })
      paths.push(path)
    }
    return paths
  }

  /** The smallest number of acknowledged writes and of reads that any document has. */
  get progress(): number {
    return Math.min(
      ...this.records.map(({ acknowledged, reads }) => Math.min(acknowledged, reads.length)),
    )
  }

  /** Writes of all documents that were acknowledged. */
  get acknowledged(): number {
    return this.records.reduce((sum, record) => sum + record.acknowledged, 0)
  }

  /** Requests that were answered 503, but for `NOT_STORED`, and reads whose answers were broken off. */
  get refused(): number {
    return this.refusedCount
  }

  /** Every document is read and written again. */
  async goOn(): Promise<void> {
    const before = this.records.map(({ acknowledged, reads }) => [acknowledged, reads.length])
    await eventually(() =>
      this.records.every(({ acknowledged, reads }, index) => {
        const [writes = 0, seen = 0] = before[index] ?? []
        return acknowledged > writes + 5 && reads.length > seen + 5
      }),
    )
  }

  /** Stops the clients, and describes each promise that was broken; empty when all were kept. */
  async findFaults(natsUrl: string): Promise<string[]> {
    this.isOver = true
    await Promise.all(this.workers)
    const faults: string[] = []
    for (const [index, record] of this.records.entries()) {
      const log = await readChanges(this.rest, record.path)
      const last = log.length
      await eventually(() => record.told.at(-1)?.seq === last).catch(() => {})
      await this.followers[index]?.[Symbol.asyncDispose]()
      const rows = (await readRecords(this.rest, `${record.path}/tables/Words`)).map(toRow)
      const published = await readPublished(natsUrl, docIdOf(record.path), last)
      for (const fault of findBrokenPromises(record, { log, rows, published }))
        faults.push(`${record.path}: ${fault}`)
    }
    return faults
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true
    await Promise.all(this.workers)
    for (const follower of this.followers) await follower[Symbol.asyncDispose]()
  }

  private async repeat(run: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !this.isOver; round++) {
      await run(round)
      await delay(PACE_MS)
    }
  }

  /** Adds a group of rows and updates every second one; now and then repeats an earlier write. */
  private async writeWithKey(record: DocumentRecord, client: string, round: number): Promise<void> {
    const added = await this.write(record, toAdd(client, round, randomUUID()))
    if (added && round % 2 === 0) {
      const { records } = JSON.parse(added.text) as { records: { id: number }[] }
      const ids = records.map(({ id }) => id)
      await this.write(record, toUpdate(client, round, { ids, key: randomUUID() }))
    }
    if (round % REPEAT_EVERY === 0) await this.repeatWrite(record, round)
  }

  private async writeOnce(record: DocumentRecord, client: string, round: number): Promise<void> {
    await this.write(record, toAdd(client, round))
  }

  /** Sends a write; one with a key again until it is answered otherwise than by 503. */
  private async write(
    record: DocumentRecord,
    { body, method, ...intent }: Intent,
  ): Promise<KeptReply | undefined> {
    const ask = toAsk(record, { body, method, key: intent.key })
    const write: RecordedWrite = { ...intent, ask, sentAt: performance.now() }
    record.writes.push(write)
    const answer = await this.send(record, ask, intent.key !== undefined)
    if (!answer) return undefined
    const reply = toReply(answer)
    write.acknowledged = { reply, seq: seqOf(reply.etag), answeredAt: performance.now() }
    return reply
  }

  private async repeatWrite(record: DocumentRecord, round: number): Promise<void> {
    const known = record.writes.filter(({ key, acknowledged }) => key && acknowledged)
    const write = known[(round * 7) % known.length]
    if (!write?.acknowledged) return
    const answer = await this.send(record, write.ask, true)
    if (!answer) return
    record.repetitions.push({ first: write.acknowledged.reply, again: toReply(answer) })
  }

  private async read(record: DocumentRecord, client: string): Promise<void> {
    const sentAt = performance.now()
    const ask: Ask = { method: 'GET', path: `${record.path}/tables/Words/records` }
    const answer = await this.send(record, ask, false)
    if (!answer) return
    const { records } = JSON.parse(answer.text) as { records: RestRecord[] }
    record.reads.push({
      client,
      what: 'a read',
      sentAt,
      answeredAt: performance.now(),
      seq: seqOf(answer.headers.etag ?? ''),
      digest: digestOf(records.map(toRow)),
    })
  }

  /** Resolves to an answer 200; undefined when the outcome stays unknown. Any other answer but 503 is a surprise. */
  private async send(
    record: DocumentRecord,
    ask: Ask,
    isRepeatable: boolean,
  ): Promise<Answer | undefined> {
    do {
      try {
        const answer = await this.pool.choose().send(ask)
        if (answer.status === 200) return answer
        const seconds = Number(answer.headers['retry-after'])
        if (answer.status !== 503 || !(seconds > 0))
          return void record.surprises.push(
            `${ask.method} ${ask.path} answered ${answer.status}: ${answer.text.slice(0, 300)}`,
          )
        if (!answer.text.includes(NOT_STORED)) this.refusedCount++
        await delay(seconds * 1000)
      } catch (error) {
        // Tables grow while many faults are tried, and answers beyond one part are sent as they are read.
        if (error instanceof BrokenOff && ask.method === 'GET') return void this.refusedCount++
        return void record.surprises.push(`${ask.method} ${ask.path}: ${String(error)}`)
      }
    } while (isRepeatable && !this.isOver)
    return undefined
  }
}

interface Intent extends Pick<RecordedWrite, 'client' | 'kind' | 'word' | 'version' | 'key'> {
  readonly method: 'POST' | 'PATCH'
  readonly body: unknown
}

function toAdd(client: string, round: number, key?: string): Intent {
  const word = `${client}-${round}`
  const records = Array.from({ length: GROUP }, () => ({ fields: { Word: word, Version: 0 } }))
  return { client, kind: 'add', word, version: 0, key, method: 'POST', body: { records } }
}

function toUpdate(
  client: string,
  round: number,
  { ids, key }: { ids: readonly number[]; key: string },
): Intent {
  const version = round + 1
  const records = ids.map((id) => ({ id, fields: { Version: version } }))
  const word = `${client}-${round}`
  return { client, kind: 'update', word, version, key, method: 'PATCH', body: { records } }
}

function toAsk(
  { path }: DocumentRecord,
  { body, method, key }: Pick<Intent, 'body' | 'method' | 'key'>,
): Ask {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  return { method, path: `${path}/tables/Words/records`, headers, body }
}

function toReply({ status, text, headers: { etag = '' } }: Answer): KeptReply {
  return { status, text, etag }
}

function toRow({ id, fields: { Word, Version } }: RestRecord): SeenRow {
  return { id, word: Word, version: Version }
}

/** A client that follows the changes of a document, and resumes where its connection ended. */
class Follower implements AsyncDisposable {
  private isOver = false
  private hangUp = () => {}
  private readonly running: Promise<void>

  constructor(
    private readonly pool: GatewayPool,
    private readonly record: DocumentRecord,
    private readonly client: string,
  ) {
    this.running = this.follow()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true
    this.hangUp()
    await this.running
  }

  private async follow(): Promise<void> {
    while (!this.isOver) {
      const seconds = await this.connect().catch(() => 0)
      // As an EventSource does.
      if (!this.isOver) await delay(Math.max(100, seconds * 1000))
    }
  }

  /** Follows over one connection; resolves to the seconds after which to connect again. */
  private async connect(): Promise<number> {
    const { record } = this
    const ask: Ask = {
      method: 'GET',
      path: `${record.path}/changes`,
      headers: {
        accept: 'text/event-stream',
        'last-event-id': String(record.told.at(-1)?.seq ?? 0),
      },
    }
    const response = await this.pool.choose().open(ask)
    this.hangUp = () => void response.destroy()
    let text = ''
    for await (const chunk of response) {
      text += String(chunk)
      if (response.statusCode === 200) text = this.take(text)
    }
    if (response.statusCode === 200) return 0
    if (response.statusCode !== 503)
      record.surprises.push(`the change stream answered ${response.statusCode}: ${text}`)
    return Number(response.headers['retry-after'] ?? 1)
  }

  /** Records the complete events; returns the remaining text. */
  private take(text: string): string {
    const events = text.split('\n\n')
    const rest = events.pop() ?? ''
    for (const event of events) {
      if (event.startsWith('event: end'))
        this.record.surprises.push(`the change stream ended: ${event}`)
      const seq = Number(/^id: (\d+)$/m.exec(event)?.[1] ?? 0)
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? ''
      if (seq > 0)
        this.record.told.push({ client: this.client, seq, toldAt: performance.now(), text: data })
    }
    return rest
  }
}
