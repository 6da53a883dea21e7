import type { AppError } from '@sheaf/kit/errors'
import type { FirstEntry } from '../log/first-entries'
import type { LogRecord } from '../log/record-writer'
import type { Connection } from '../sqlite/connections'
import type { DocumentFiles } from '../sqlite/document-files'

/** An open transaction whose records are in the file and not committed. */
export interface AppendedGroup {
  readonly docId: string
  readonly connection: Connection
  /** What the transaction adds to the log. */
  readonly records: readonly LogRecord[]
  /** True when the log then has entries that NATS has not confirmed. */
  readonly isUnpublished: boolean
  /** True when formulas then still have to compute cells. */
  readonly isPending: boolean
}

/** A content of an attachment that has been received completely. */
export interface ReceivedContent {
  /** SHA-256 in hexadecimal. */
  readonly sha256: string
  readonly size: number
  /** Reads a part of it. */
  read(offset: number, length: number): Promise<Buffer>
}

/** A new document, whose file is complete and not visible yet. */
export interface NewDocumentFile {
  readonly docId: string
  readonly path: string
  /** True when the log holds all of the document: it was created empty. */
  readonly isEmpty: boolean
  readonly first: FirstEntry | undefined
}

/** What redo would have to apply to documents of which only the latest snapshot is left. */
export interface LogTail {
  /** Records after the latest snapshot of the document that has most of them. */
  readonly records: number
  /** Seconds since the latest snapshot, or the opening, of the document with such records where that is longest ago. */
  readonly seconds: number
}

/** Documents on the disk of this instance alone, though it is replicated, and the way there and back. */
export interface LocalDocuments {
  /**
   * Stores a document that this instance has written without replication outside of its disk, while it is used: calls for it
   * are refused at the end, for as long as it takes to store what has changed since the beginning. Does nothing for one that
   * is stored there. Rejects as `prepare`, and with `unavailable` when it cannot be stored.
   */
  adopt(docId: string): Promise<void>
  /**
   * Ends the replication of a document: its file on this disk is all there is of it from then on. Calls for it are refused while
   * its log ends and `pin` runs, which has directory assign it to no other instance; if that fails, the next use of the document
   * adopts it again. Only pins one that is on this disk alone. Rejects as `prepare`, as `pin`, and with `unavailable` when its file
   * is damaged or the disk has too little free space.
   */
  release(docId: string, pin: () => Promise<void>): Promise<void>
  /** Of these documents, those that are stored outside of the disks of instances, so that any instance can have them. */
  listStored(docIds: readonly string[]): Promise<string[]>
  /** Removes the files of documents that were deleted while this instance was away; those that `remove` resolves to false for are kept. */
  removeDeleted(): Promise<void>
}

/**
 * Keeps documents outside of this instance: their logs, and what redo of a log needs besides. The files of this instance
 * are then copies, which `prepare` makes when they are missing.
 */
export interface Replicator extends AsyncDisposable {
  /** Format of new documents: the newest that all instances can read. */
  readonly writeFormat: number
  /**
   * Makes a document ready for use on this instance, or returns undefined when it is. Rejects with `not_found`,
   * `precondition` for a deleted one, `unavailable` when its log cannot be read, when the document is assigned to another
   * instance, and while this one has no lease.
   * @param assignment number of the assignment of the document that the caller knows
   */
  prepare(docId: string, assignment?: number): Promise<void> | undefined
  /** Throws `unavailable` unless the document is ready for use on this instance. */
  requireReady(docId: string): void
  /**
   * A check to be called when a read has run, before its answer is sent: it throws `unavailable` unless this instance has
   * had its lease ever since, so that no other one can have changed the document. Throws as `requireReady` itself.
   */
  guard(docId: string): () => void
  /** True while a document that is ready for use is on the disk of this instance alone: its file is all there is of it. */
  isLocal(docId: string): boolean
  /** The documents on the disk of this instance alone. */
  readonly local: LocalDocuments
  /**
   * Continues documents of these instances that directory assigns to this one and that have unpublished entries, or cells
   * that formulas still have to compute.
   */
  takeOver(instances: readonly string[]): Promise<void>
  /**
   * Ends the use of documents of this instance, in order, and refuses calls for them with `unavailable` until `assign` has
   * settled, which lets directory assign them to other instances. Running writes end first, and running reads that take no
   * longer than two seconds; longer ones are broken off. One hand-over runs at a time.
   */
  handOver<T>(docIds: readonly string[], assign: () => Promise<T>): Promise<T>
  /** Of these documents, those whose logs have entries to publish, or cells that formulas still have to compute. */
  listUnfinished(docIds: readonly string[]): Promise<string[]>
  /** Makes a document ready, and continues what is unfinished in it. Rejects as `prepare`. */
  resume(docId: string): Promise<void>
  /** Number of calls for each open document since this was last asked. */
  takeCalls(): ReadonlyMap<string, number>
  /** Whether a document is assigned to another instance, and that has opened it if anything was unfinished here. */
  isElsewhere(docId: string): Promise<boolean>
  /** Term that the file of a new document begins with. */
  readonly firstTerm: number
  /** Stores a new document before it becomes visible. Throws `conflict` when it exists, `precondition` when it was deleted. */
  create(document: NewDocumentFile): Promise<void>
  /**
   * Removes a document for good: nobody uses it any more. Resolves to false when its file has more of it than is stored
   * outside of the disk of this instance.
   * @param keeps true to keep what `copyDeleted` needs for the days of the host
   */
  remove(docId: string, keeps: boolean): Promise<boolean>
  /**
   * Writes a document that was removed, as it was then, to a new path; false when nothing is kept of it. Throws `unavailable`
   * when the log or the store cannot be read.
   */
  copyDeleted(docId: string, path: string): Promise<boolean>
  /** Removes a document that was never announced. */
  discard(docId: string): Promise<void>
  /** Stores the content of an attachment before any record refers to it. */
  keepContent(docId: string, content: ReceivedContent): Promise<void>
  /** Stores the records of a transaction before it is committed. */
  append(group: AppendedGroup): Promise<void> | undefined
  /** Makes a document again whose transaction was not committed after `append`. */
  recover(docId: string): Promise<void>
  /** Ids of the documents that this instance used last and that may have unpublished entries. */
  listUnpublished(): Promise<string[]>
  /**
   * What is wrong with the latest snapshot of a document, in words; undefined when it can be read, and for a document
   * without one. Throws `unavailable` when the store does not respond.
   */
  findSnapshotFault(docId: string): Promise<string | undefined>
  /** What the logs of documents hold that no snapshot does, for metrics. */
  readonly tail: LogTail
}

/** What a replicator needs of the store. */
export interface ReplicatorHost {
  readonly files: DocumentFiles
  /** Days for which removed documents are kept. */
  readonly keptDays: number
  /**
   * Closes a document after the running long reads, for which it waits so many milliseconds at most, and the writes that
   * wait; later ones fail with the reason.
   */
  close(docId: string, reason: AppError, ms: number): Promise<void>
  /** Closes a document at once; calls that wait fail with the reason. */
  evict(docId: string, reason: AppError): void
  /** Translates an error of the file of a document for callers, and reports the original. */
  translate(error: unknown, docId: string): unknown
  /** True while the file of a document is open. */
  isOpen(docId: string): boolean
  /** Wakes the calls that wait for changes of a document. */
  wake(docId: string): void
  /** Called when a document has entries to publish. */
  logged(docId: string): void
  /** Opens a document, which continues computing its cells. */
  resume(docId: string): void
  /** Copies the file of a document as it is at one moment, page by page, in a thread. */
  copyFile(path: string, to: string): Promise<void>
  /** Checks the file of a document in a thread. Throws `unavailable` when it is damaged. */
  verifyFile(path: string): Promise<void>
}
