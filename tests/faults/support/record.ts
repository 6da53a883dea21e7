import { createHash } from 'node:crypto'
import type { Ask } from './gateway-pool'

/** What an answered request saw: a moment of a document. */
export interface Observation {
  readonly client: string
  readonly what: string
  readonly sentAt: number
  readonly answeredAt: number
  readonly seq: number
}

/** A reply whose repetition must be the same. */
export interface KeptReply {
  readonly status: number
  readonly text: string
  readonly etag: string
}

/** A write, whether or not it was answered. */
export interface RecordedWrite {
  readonly client: string
  /** `add` of a group of rows, or `update` of the version of a group. */
  readonly kind: 'add' | 'update'
  /** Word of the rows; each group has its own. */
  readonly word: string
  readonly version: number
  readonly key?: string
  readonly ask: Ask
  readonly sentAt: number
  /** Present once it was acknowledged. */
  acknowledged?: { readonly reply: KeptReply; readonly seq: number; readonly answeredAt: number }
}

/** A read of all rows. */
export interface RecordedRead extends Observation {
  readonly digest: string
}

/** An event of the change stream, as it was told. */
export interface ToldChange {
  readonly client: string
  readonly seq: number
  readonly toldAt: number
  readonly text: string
}

/** A row as a client reads it. */
export interface SeenRow {
  readonly id: number
  readonly word: unknown
  readonly version: unknown
}

/** Keeps all requests about one document, and what clients were answered, until they are checked. */
export class DocumentRecord {
  readonly writes: RecordedWrite[] = []
  readonly reads: RecordedRead[] = []
  readonly told: ToldChange[] = []
  /** Replies to a write and to its repetition. */
  readonly repetitions: { readonly first: KeptReply; readonly again: KeptReply }[] = []
  /** What no client may see, noted when it was seen. */
  readonly surprises: string[] = []

  /** @param path of the document in the API */
  constructor(readonly path: string) {}

  /** Acknowledged writes so far. */
  get acknowledged(): number {
    return this.writes.filter(({ acknowledged }) => acknowledged).length
  }
}

const WORD = 2n ** 64n

/** Identifies a set of rows, whatever their order; rows are added and removed one by one, since sets of many moments are compared. */
export class RowsDigest {
  private sum = 0n

  add(row: SeenRow): void {
    this.sum = (this.sum + hashOf(row)) % WORD
  }

  remove(row: SeenRow): void {
    this.sum = (this.sum + WORD - hashOf(row)) % WORD
  }

  get text(): string {
    return this.sum.toString(36)
  }
}

/** A short text that is the same for the same rows. */
export function digestOf(rows: Iterable<SeenRow>): string {
  const digest = new RowsDigest()
  for (const row of rows) digest.add(row)
  return digest.text
}

function hashOf({ id, word, version }: SeenRow): bigint {
  const hash = createHash('sha1').update(JSON.stringify([id, word, version]))
  return hash.digest().readBigUInt64LE()
}

/** The `seq` of an ETag. */
export function seqOf(etag: string): number {
  return Number(/\.(\d+)"$/.exec(etag)?.[1] ?? NaN)
}
