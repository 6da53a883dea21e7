import { createHash } from 'node:crypto'
import type { Change } from './change-log'
import {
  digestOf,
  RowsDigest,
  type DocumentRecord,
  type Observation,
  type RecordedWrite,
  type SeenRow,
} from './record'
import type { PublishedMessage } from './published-seqs'

/** Rows of one added group: a write that happened in half has another number. */
export const GROUP = 3

/** What is left of a document when all clients have stopped. */
export interface Remains {
  readonly log: readonly Change[]
  readonly rows: readonly SeenRow[]
  readonly published: readonly PublishedMessage[]
}

/** Describes each promise that a record shows to be broken; empty when all hold. */
export function findBrokenPromises(record: DocumentRecord, remains: Remains): string[] {
  const { log, rows } = remains
  const replayed = new Replay(log)
  return [
    ...record.surprises,
    ...findGaps(log),
    ...findWrongWrites(record, replayed),
    ...findWrongReads(record, replayed),
    ...(digestOf(rows) === replayed.digestAt(log.length)
      ? []
      : ['the rows are not those of the log']),
    ...findDisorder(record),
    ...findForks(record, log),
    ...findWrongRepetitions(record),
    ...findWrongMessages(record, remains),
  ]
}

function findGaps(log: readonly Change[]): string[] {
  const wrong = log.findIndex(({ seq }, index) => seq !== index + 1)
  return wrong < 0 ? [] : [`entry ${wrong + 1} of the log has seq ${log[wrong]?.seq}`]
}

/** A write as the log has it. */
interface LoggedWrite {
  readonly seq: number
  readonly ids: readonly number[]
}

/** The log, applied to an empty table entry by entry. */
class Replay {
  /** Additions by word, and updates by word and version. */
  readonly writes = new Map<string, LoggedWrite[]>()
  private readonly digests: string[] = []
  private readonly rows = new Map<number, SeenRow>()
  private readonly digest = new RowsDigest()

  constructor(log: readonly Change[]) {
    this.digests.push(this.digest.text)
    for (const { seq, operations } of log) {
      for (const operation of operations) this.apply(seq, operation)
      this.digests[seq] = this.digest.text
    }
  }

  digestAt(seq: number): string | undefined {
    return this.digests[seq]
  }

  private apply(
    seq: number,
    { action, tableId, rowIds = [], columns = {} }: Change['operations'][number],
  ): void {
    if (tableId !== 'Words' || !/^(add|update)Rows$/.test(action)) return
    const words = columns.Word?.new
    const versions = columns.Version?.new
    rowIds.forEach((id, index) => {
      const before = this.rows.get(id)
      const row = {
        id,
        word: words ? words[index] : before?.word,
        version: versions ? versions[index] : before?.version,
      }
      if (before) this.digest.remove(before)
      this.digest.add(row)
      this.rows.set(id, row)
    })
    const { word, version } = this.rows.get(rowIds[0] ?? 0) ?? {}
    const name = nameOf(action === 'addRows' ? 'add' : 'update', String(word), Number(version))
    this.writes.set(name, [...(this.writes.get(name) ?? []), { seq, ids: rowIds }])
  }
}

const nameOf = (kind: 'add' | 'update', word: string, version: number) =>
  kind === 'add' ? `add ${word}` : `update ${word} to ${version}`

/** Each acknowledged write is in the log once, whole, where its answer says; others are there once or not at all. */
function findWrongWrites({ writes }: DocumentRecord, { writes: logged }: Replay): string[] {
  const faults: string[] = []
  const left = new Map(logged)
  for (const write of writes) {
    const name = nameOf(write.kind, write.word, write.version)
    const found = left.get(name) ?? []
    left.delete(name)
    if (write.acknowledged && found.length === 0)
      faults.push(`${name} was acknowledged, and is lost`)
    if (found.length > 1) faults.push(`${name} happened ${found.length} times`)
    for (const each of found) faults.push(...compareWrite(name, write, each))
  }
  return [...faults, ...[...left.keys()].map((name) => `nobody sent: ${name}`)]
}

function compareWrite(
  name: string,
  { kind, acknowledged }: RecordedWrite,
  { ids, seq }: LoggedWrite,
): string[] {
  const faults = ids.length === GROUP ? [] : [`${name} has ${ids.length} rows`]
  if (!acknowledged) return faults
  const { text } = acknowledged.reply
  if (acknowledged.seq !== seq)
    faults.push(`${name} was acknowledged as ${acknowledged.seq}, and is ${seq}`)
  if (kind === 'add' && idsIn(text) !== String(ids))
    faults.push(`${name} was answered with ${text}, and has rows ${String(ids)}`)
  return faults
}

/** The ids of the rows that a write, or a batch of one operation, has added by its answer. */
export function idsIn(text: string): string {
  const { records = [], operations = [] } = JSON.parse(text) as {
    records?: readonly { readonly id: number }[]
    operations?: readonly { readonly added?: readonly number[] }[]
  }
  return String([...records.map(({ id }) => id), ...operations.flatMap(({ added = [] }) => added)])
}

/** Each read saw exactly the rows of the moment that its ETag names. */
function findWrongReads({ reads }: DocumentRecord, replayed: Replay): string[] {
  return reads
    .filter(({ seq, digest }) => replayed.digestAt(seq) !== digest)
    .map(({ client, seq }) => `${client} read rows at ${seq} that the log does not have there`)
}

/** Nobody sees an earlier moment than somebody has seen before the request was sent. */
function findDisorder(record: DocumentRecord): string[] {
  const observations: Observation[] = [...record.reads]
  for (const { client, word, sentAt, acknowledged } of record.writes)
    if (acknowledged)
      observations.push({ client, what: `the write of ${word}`, sentAt, ...acknowledged })
  const ends = [
    ...observations,
    ...record.told.map(({ client, seq, toldAt }) => ({
      client,
      what: 'the change stream',
      seq,
      answeredAt: toldAt,
    })),
  ].sort((a, b) => a.answeredAt - b.answeredAt)
  const faults: string[] = []
  let position = 0
  let latest: (typeof ends)[number] | undefined
  for (const seen of observations.sort((a, b) => a.sentAt - b.sentAt)) {
    for (let next = ends[position]; next && next.answeredAt < seen.sentAt; next = ends[++position])
      if (!latest || next.seq > latest.seq) latest = next
    if (latest && seen.seq < latest.seq)
      faults.push(
        `${seen.client} saw ${seen.seq} by ${seen.what}, after ${latest.client} had seen ${latest.seq} by ${latest.what}`,
      )
  }
  return faults
}

/** Followers were told the changes that the log has, each as it is there. */
function findForks({ told }: DocumentRecord, log: readonly Change[]): string[] {
  const faults: string[] = []
  const followed = new Map<string, number>()
  for (const { client, seq, text } of told) {
    const before = followed.get(client)
    if (before !== undefined && seq !== before + 1)
      faults.push(`${client} was told ${seq} after ${before}`)
    followed.set(client, seq)
    if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(log[seq - 1]))
      faults.push(`${client} was told another change ${seq} than the log has`)
  }
  for (const [client, seq] of followed)
    if (seq !== log.length) faults.push(`${client} was told ${seq} of ${log.length} changes`)
  return faults
}

function findWrongRepetitions({ repetitions }: DocumentRecord): string[] {
  return repetitions
    .filter(({ first, again }) => JSON.stringify(first) !== JSON.stringify(again))
    .map(({ first, again }) => `${JSON.stringify(first)} was repeated as ${JSON.stringify(again)}`)
}

/** Every change is published; messages of one id, and changes of one seq, are the same. */
function findWrongMessages({ path }: DocumentRecord, { log, published }: Remains): string[] {
  const faults: string[] = []
  const contents = new Map<number, string>()
  for (const { id, docId, epoch, changes } of published) {
    const [first, last] = [changes[0]?.seq, changes.at(-1)?.seq]
    if (!path.endsWith(docId) || id !== `${docId}:${epoch}:${first}-${last}`)
      faults.push(`message ${id} has the changes ${first} to ${last} of ${docId}`)
    for (const { seq, bytes } of changes) {
      const digest = createHash('sha1').update(bytes).digest('base64')
      if ((contents.get(seq) ?? digest) !== digest)
        faults.push(`change ${seq} was published with two contents`)
      contents.set(seq, digest)
    }
  }
  const missing = log.filter(({ seq }) => !contents.has(seq)).map(({ seq }) => seq)
  if (missing.length > 0) faults.push(`not published: ${String(missing)}`)
  if (contents.size > log.length) faults.push('more was published than the log has')
  return faults
}
