import { closeSync, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LoggedRecord } from '@sheaf/document-log/heads'
import { CHUNK_BYTES, findContent } from '../store/attachments/file-contents'
import { Redo } from '../store/redo/redo'
import type { ContentSource } from '../store/redo/redo-attachments'
import { RedoError } from '../store/redo/redo-error'
import { storeTerm } from '../store/log/publish-state'
import type { LogRecord } from '../store/log/record-writer'
import type { Connection } from '../store/sqlite/connections'
import { linkedContents } from './objects/kept-contents'
import { decodeRecord } from './record-body'

/** Milliseconds after which other work of the process gets a turn. */
const TURN_MS = 20

/** The part of a log that a file lacks. */
export interface Tail {
  /** Position of the last record that the file has, … */
  readonly after: number
  /** … and of the last one that it shall have. */
  readonly upTo: number
  /** The records after a position, some at a time. */
  readonly read: (after: number) => Promise<readonly LoggedRecord[]>
  /** Writes the content of an attachment to a path; false when there is none with this hash. */
  readonly fetch: (hash: string, path: string) => Promise<boolean>
  /** Folder for contents on their way. */
  readonly scratch: string
}

/**
 * Applies the tail of a log to a file, several records in one transaction. Throws RedoError when a record is missing or does
 * not fit, and LogDamaged.
 */
export async function redoTail(to: Connection, tail: Tail): Promise<void> {
  const redo = new Redo(to, { keepsDue: true })
  for (let lsn = tail.after; lsn < tail.upTo;) {
    const records = await tail.read(lsn)
    if (records.length === 0) throw new RedoError(`record ${lsn + 1} is not in the log`)
    for (let index = 0; index < records.length;) {
      if (lsn >= tail.upTo) return
      const count = await redoSome(to, redo, { tail, lsn, records: records.slice(index) })
      lsn += count
      index += count
      await nextTurn()
    }
  }
}

interface Step {
  readonly tail: Tail
  /** Position of the last record that was applied. */
  readonly lsn: number
  /** At least one. */
  readonly records: readonly LoggedRecord[]
}

/** Applies the next records in one transaction, for one turn of the process; returns their number. */
async function redoSome(to: Connection, redo: Redo, { tail, lsn, records }: Step): Promise<number> {
  const [first] = records
  const next = first && decodeRecord(first.body)
  if (!next) return 0
  const contents = await fetchContents(to, next, tail)
  const source: ContentSource = ({ hash }) => {
    const path = contents.get(hash)
    return path === undefined ? undefined : chunksOf(path)
  }
  const until = performance.now() + TURN_MS
  const count = to.db.transaction(() => {
    let applied = 0
    for (const { lsn: position, term, body } of records) {
      const expected = lsn + applied + 1
      if (position !== expected) throw new RedoError(`record ${expected} is not in the log`)
      if (applied > 0 && (position > tail.upTo || performance.now() > until)) break
      const record = applied === 0 ? next : decodeRecord(body)
      // Contents are fetched before the transaction, for its first record.
      if (applied > 0 && linkedContents(record).length > 0) break
      redo.apply(record, source)
      storeTerm(to, term)
      applied++
    }
    return applied
  })()
  for (const path of contents.values()) await rm(path, { force: true })
  return count
}

/** Fetches the contents that a record refers to and the file lacks; returns their paths by hash. */
async function fetchContents(
  to: Connection,
  record: LogRecord,
  { fetch, scratch }: Tail,
): Promise<Map<string, string>> {
  const fetched = new Map<string, string>()
  for (const { hash } of linkedContents(record)) {
    const path = join(scratch, hash)
    if (fetched.has(hash)) continue
    if (findContent(to, hash) === undefined && (await fetch(hash, path))) fetched.set(hash, path)
  }
  return fetched
}

function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES)
      const length = readSync(file, chunk, 0, CHUNK_BYTES, null)
      if (length === 0) return
      yield chunk.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}
