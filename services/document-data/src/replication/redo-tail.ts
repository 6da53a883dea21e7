import { closeSync, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LoggedRecord } from '@sheaf/document-log/heads'
import { CHUNK_BYTES, findContent } from '../store/attachments/file-contents'
import type { LogRecord } from '../store/log/record-writer'
import type { ContentSource } from '../store/redo/redo-attachments'
import { RedoError } from '../store/redo/redo-error'
import { redoRecord } from '../store/redo/redo-record'
import type { Connection } from '../store/sqlite/connections'
import { linkedContents } from './kept-contents'
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
 * Applies the tail of a log to a file, each record in a transaction of its own. Throws RedoError when a record is missing
 * or does not fit, and LogDamaged.
 */
export async function redoTail(to: Connection, tail: Tail): Promise<void> {
  let since = performance.now()
  for (let lsn = tail.after; lsn < tail.upTo;) {
    const records = await tail.read(lsn)
    if (records.length === 0) throw new RedoError(`record ${lsn + 1} is not in the log`)
    for (const { lsn: position, term, body } of records) {
      if (position > tail.upTo) return
      if (position !== ++lsn) throw new RedoError(`record ${lsn} is not in the log`)
      await redoOne(to, decodeRecord(body), term, tail)
      if (performance.now() - since < TURN_MS) continue
      await nextTurn()
      since = performance.now()
    }
  }
}

async function redoOne(
  to: Connection,
  record: LogRecord,
  term: number,
  { fetch, scratch }: Tail,
): Promise<void> {
  const fetched = new Map<string, string>()
  for (const { hash } of linkedContents(record)) {
    const path = join(scratch, hash)
    if (fetched.has(hash)) continue
    if (findContent(to, hash) === undefined && (await fetch(hash, path))) fetched.set(hash, path)
  }
  const source: ContentSource = ({ hash }) => {
    const path = fetched.get(hash)
    return path === undefined ? undefined : chunksOf(path)
  }
  to.db.transaction(() => {
    redoRecord(to, record, source)
    to.prepare('UPDATE _sheaf_state SET term = ? WHERE id = 1').run(term)
  })()
  for (const path of fetched.values()) await rm(path, { force: true })
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
