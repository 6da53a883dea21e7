import Database from 'better-sqlite3'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { AppendedGroup } from '../../src/store/documents/replicator'
import { readEpoch } from '../../src/store/log/publish-state'
import type { LogRecord } from '../../src/store/log/record-writer'
import { compareDocuments } from '../../src/store/redo/compare-documents'
import { localState } from '../../src/store/redo/local-state'
import { Redo } from '../../src/store/redo/redo'
import { contentsOf, replayLog } from '../../src/store/redo/replay-log'
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

/** Opens a base in memory; without one, an empty file. */
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
 * Makes a document again from a base and the rest of its log, or from its log alone, and compares; returns the
 * differences.
 */
export function differencesAfterRedo(store: DocumentStore, docId: string, base?: Base): string[] {
  const made = openBase(base)
  try {
    return store.read<string[]>(docId, ({ connection }) => {
      replayLog(connection, made)
      const isSame = readEpoch(connection) === readEpoch(made)
      return [...compareDocuments(connection, made), ...(isSame ? [] : ['the epochs differ'])]
    })
  } finally {
    made.close()
  }
}

/** Keeps the records that the writes of all documents append. */
export class AppendedRecords {
  private readonly byDocument = new Map<string, LogRecord[]>()

  /** The stage of a write that takes them. */
  readonly append = ({ docId, records }: AppendedGroup): undefined => {
    this.byDocument.set(docId, [...this.of(docId), ...records])
  }

  /** The records of a document so far. */
  of(docId: string): readonly LogRecord[] {
    return this.byDocument.get(docId) ?? []
  }

  /** Drops the records of a document. */
  forget(docId: string): void {
    this.byDocument.delete(docId)
  }

  /**
   * Makes a document again from a base and the records that were appended later, and compares everything: also the
   * log, the replies, the epoch and the publish marks. Returns the differences.
   */
  differencesAfterRedo(store: DocumentStore, docId: string, base: Base, from: number): string[] {
    const made = openBase(base)
    try {
      return store.read<string[]>(docId, ({ connection }) => {
        this.redo(docId, { from, connection, made })
        return compareDocuments(connection, made, notRedone)
      })
    } finally {
      made.close()
    }
  }

  /** Applies the records of a document to another file, with contents of attachments from its own. */
  redo(
    docId: string,
    files: { readonly from: number; readonly connection: Connection; readonly made: Connection },
  ): void {
    const contents = contentsOf(files.connection)
    const redo = new Redo(files.made, { keepsDue: false })
    for (const record of this.of(docId).slice(files.from)) redo.apply(record, contents)
  }
}

const REDONE = ['_sheaf_state', '_sheaf_replies']
const notRedone = Object.fromEntries(
  Object.entries(localState).filter(([table]) => !REDONE.includes(table)),
)
