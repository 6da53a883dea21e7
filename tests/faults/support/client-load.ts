import { Sheaf, type AnyDocument, type Doc } from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import { addTable, newDocument, readRecords } from '../../support/system'
import { readChanges } from './change-log'
import { findBrokenPromises, GROUP, idsIn } from './check-record'
import { docIdOf } from './document-file'
import { readPublished } from './published-seqs'
import { DocumentRecord, seqOf, type KeptReply, type RecordedWrite } from './record'

const WRITERS = 20
/** A busy machine may need longer to start a gateway than the attempts that clients make by default. */
const ATTEMPTS = 40
/** Statuses of attempts that the client repeats. */
const REPEATED = [429, 503, 504]

/** One request of a write. */
interface Attempt {
  readonly key: string | null
  readonly body: unknown
  /** Undefined when there was none, or only a part. */
  readonly answer: KeptReply | undefined
}

/** Where a client connects to, and as whom. */
interface Access {
  readonly url: string
  readonly key: string
}

/**
 * Programs that write to one document by @sheaf/client, one write after another, and one that follows its changes. Each
 * request and its answer is recorded.
 */
export class ClientLoad {
  /** Acknowledged writes so far. */
  acknowledged = 0
  /** Requests that were not answered, or not completely. */
  unanswered = 0
  /** Requests that were answered, but not with 200. */
  refused = 0
  private readonly ended = new AbortController()
  private readonly writing: Promise<unknown>
  private readonly following: Promise<void>

  private constructor(
    private readonly rest: Rest,
    private readonly record: DocumentRecord,
    access: Access,
    writes: number,
  ) {
    const each = Math.ceil(writes / WRITERS)
    const names = Array.from({ length: WRITERS }, (_, index) => `w${index}`)
    this.writing = Promise.all(names.map((name) => new Writer(this, name, access).run(each)))
    this.following = this.follow(access)
  }

  /** Creates the document and starts so many writes. */
  static async start(rest: Rest, access: Access, writes: number): Promise<ClientLoad> {
    const path = await newDocument(rest, 'Written by clients')
    await addTable(rest, path, 'Words', { Word: 'Text', Version: 'Int' })
    return new ClientLoad(rest, new DocumentRecord(path), access, writes)
  }

  /** Path of the document in the API. */
  get path(): string {
    return this.record.path
  }

  /** Resolves when every write is acknowledged, or has failed. */
  async done(): Promise<void> {
    await this.writing
  }

  /** Describes each promise that was broken; empty when all were kept. All writes must be done. */
  async findFaults(natsUrl: string): Promise<string[]> {
    const { record, rest } = this
    const log = await readChanges(rest, record.path)
    const last = log.length
    await eventually(() => record.told.at(-1)?.seq === last).catch(() => {})
    this.ended.abort()
    await this.following
    const rows = (await readRecords(rest, `${record.path}/tables/Words`)).map(
      ({ id, fields: { Word, Version } }) => ({ id, word: Word, version: Version }),
    )
    const published = await readPublished(natsUrl, docIdOf(record.path), last)
    return findBrokenPromises(record, { log, rows, published })
  }

  /** Records a write that begins. */
  begin(write: RecordedWrite): void {
    this.record.writes.push(write)
  }

  /** Records a write that is acknowledged, with all of its attempts. */
  acknowledge(write: RecordedWrite, attempts: readonly Attempt[]): void {
    this.count(attempts)
    const [first, ...others] = attempts
    const reply = attempts.at(-1)?.answer
    if (!first || !reply) return this.surprise(`${write.word} succeeded without an answer`)
    if (others.some(({ key, body }) => key !== first.key || body !== first.body))
      this.surprise(`${write.word} was repeated as another request`)
    this.acknowledged++
    write.acknowledged = { reply, seq: seqOf(reply.etag), answeredAt: performance.now() }
  }

  /** Records a write whose call failed. */
  fail(write: RecordedWrite, attempts: readonly Attempt[], error: unknown): void {
    this.count(attempts)
    this.surprise(`${write.word} failed after ${attempts.length} attempts: ${String(error)}`)
  }

  /** Records what no program may see. */
  surprise(what: string): void {
    this.record.surprises.push(what)
  }

  private count(attempts: readonly Attempt[]): void {
    for (const { answer } of attempts)
      if (!answer) this.unanswered++
      else if (answer.status !== 200) {
        this.refused++
        if (!REPEATED.includes(answer.status)) this.surprise(`a write was answered ${answer.text}`)
      }
  }

  private async follow(access: Access): Promise<void> {
    const { signal } = this.ended
    const doc = new Sheaf({ ...access, retry: { attempts: ATTEMPTS } }).doc(docIdOf(this.path))
    try {
      for await (const change of doc.changes({ signal }))
        this.record.told.push({
          client: 'f',
          seq: change.seq,
          toldAt: performance.now(),
          text: JSON.stringify(change),
        })
    } catch (error) {
      if (!signal.aborted) this.surprise(`the change feed failed: ${String(error)}`)
    }
  }
}

/** One program with a client of its own. */
class Writer {
  private readonly doc: Doc<AnyDocument>
  /** Of the write that is under way. */
  private attempts: Promise<Attempt>[] = []

  constructor(
    private readonly load: ClientLoad,
    private readonly name: string,
    access: Access,
  ) {
    const fetch = (url: string, init: RequestInit) => this.send(url, init)
    const sheaf = new Sheaf({ ...access, fetch, retry: { attempts: ATTEMPTS } })
    this.doc = sheaf.doc(docIdOf(load.path))
  }

  /** Adds a group of rows, updates them, and adds a group by a batch, in turn. */
  async run(writes: number): Promise<void> {
    const words = this.doc.table('Words')
    let added: readonly number[] = []
    for (let round = 0; round < writes; round++) {
      const word = `${this.name}-${round}`
      const rows = Array.from({ length: GROUP }, () => ({ Word: word, Version: 0 }))
      if (round % 3 === 0)
        added = await this.write('add', { word, version: 0 }, () => words.add(rows))
      else if (round % 3 === 1) {
        const records = added.map((id) => ({ id, fields: { Version: round } }))
        const updated = { word: `${this.name}-${round - 1}`, version: round }
        await this.write('update', updated, () => words.update(records))
      } else await this.write('add', { word, version: 0 }, () => this.addByBatch(rows))
    }
  }

  private async addByBatch(rows: readonly Record<string, string | number>[]): Promise<number[]> {
    const records = rows.map((fields) => ({ fields }))
    const { operations } = await this.doc.batch([{ op: 'addRecords', table: 'Words', records }])
    return operations.flatMap(({ added = [] }) => added)
  }

  /** Resolves to the row ids that the client returned, none if it failed. */
  private async write(
    kind: RecordedWrite['kind'],
    { word, version }: { word: string; version: number },
    call: () => Promise<readonly number[] | void>,
  ): Promise<readonly number[]> {
    const { load } = this
    this.attempts = []
    const ask = { method: 'POST', path: load.path } as const
    const sentAt = performance.now()
    const write: RecordedWrite = { client: this.name, kind, word, version, ask, sentAt }
    load.begin(write)
    try {
      const ids = await call()
      load.acknowledge(write, await Promise.all(this.attempts))
      const answered = write.acknowledged?.reply.text ?? '{}'
      if (ids && String(ids) !== idsIn(answered))
        load.surprise(`${word} was answered ${answered}, and the client returned ${String(ids)}`)
      return ids ?? []
    } catch (error) {
      load.fail(write, await Promise.all(this.attempts), error)
      return []
    }
  }

  /** Sends a request as the client would itself, and records it. */
  private async send(url: string, init: RequestInit): Promise<Response> {
    const sending = fetch(url, init)
    // A copy, so that the client sees where an answer is cut off.
    const answer = sending.then((response) => readReply(response.clone())).catch(() => undefined)
    const key = new Headers(init.headers).get('idempotency-key')
    this.attempts.push(answer.then((reply) => ({ key, body: init.body, answer: reply })))
    return sending
  }
}

async function readReply(response: Response): Promise<KeptReply> {
  const { status, headers } = response
  return { status, text: await response.text(), etag: headers.get('etag') ?? '' }
}
