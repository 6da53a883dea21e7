import Database from 'better-sqlite3'
import { compareDocuments } from '../../src/store/redo/compare-documents'
import { replayLog } from '../../src/store/redo/replay-log'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { Connection } from '../../src/store/sqlite/connections'
import { migrate } from '../../src/store/sqlite/migrations/index'

const rounds = Number(process.env.SHEAF_SOAK_ROUNDS ?? 0)
const seconds = Number(process.env.SHEAF_SOAK_SECONDS ?? 0)

/** Extent of the property tests of redo: 500 sequences in a usual run, 400 for each round of `make soak`. */
export const redoRuns = {
  numRuns: rounds > 0 ? rounds * 400 : 500,
  interruptAfterTimeLimit: rounds > 0 ? seconds * 1000 : undefined,
  timeoutMs: rounds > 0 ? (seconds + 300) * 1000 : 180_000,
}

/** A document as of one entry of its log. */
export interface Base {
  readonly seq: number
  readonly bytes: Buffer
}

/** Copies a document as it is now. */
export function takeBase(store: DocumentStore, docId: string): Base {
  return store.read<Base>(docId, ({ connection, seq }) => ({
    seq,
    bytes: connection.db.serialize(),
  }))
}

/** Opens a base in memory. */
export function openBase(base: Base | undefined): Connection {
  if (!base) {
    const db = new Database(':memory:')
    migrate(db)
    return new Connection(db)
  }
  const bytes = Buffer.from(base.bytes)
  // A database in memory has no write-ahead log.
  bytes[18] = bytes[19] = 1
  return new Connection(new Database(bytes))
}

/**
 * Makes a document again from a base and its log, or from its log alone, and compares; returns the
 * differences.
 */
export function differencesAfterRedo(store: DocumentStore, docId: string, base?: Base): string[] {
  const made = openBase(base)
  try {
    return store.read<string[]>(docId, ({ connection }) => {
      replayLog(connection, made, base?.seq ?? 0)
      return compareDocuments(connection, made)
    })
  } finally {
    made.close()
  }
}
