import { existsSync } from 'node:fs'
import { rm, writeFile as createFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findRecordTerm,
  readRecords,
  type OpenedHead,
  type SnapshotMark,
} from '@sheaf/document-log/heads'
import type { LogTablesDb } from '@sheaf/document-log/schema'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { RedoError } from '../store/redo/redo-error'
import { openWriter, type Connection } from '../store/sqlite/connections'
import { DOCUMENT_FILE, type DocumentFiles } from '../store/sqlite/document-files'
import { FIRST_FORMAT, migrate, requireDocumentFile } from '../store/sqlite/migrations/index'
import { spoilsConnection } from '../store/sqlite/sqlite-errors'
import { positionOf, type CopySource, type FilePosition } from './file-position'
import type { KeptContents } from './objects/kept-contents'
import { redoTail } from './redo-tail'
import { SNAPSHOT_DAMAGED, type StoredFiles } from './objects/stored-files'

/** Folder of the snapshots of a document. */
export const SNAPSHOTS = 'snapshots'
/** Name of a snapshot among the stored files of its document. */
export const snapshotName = ({ name }: Pick<SnapshotMark, 'name'>): string => `${SNAPSHOTS}/${name}`

/** A file that has been brought up to the latest record. */
export interface UpdatedCopy {
  /** Term of its last record. */
  readonly term: number
  /** True when the latest snapshot was found to be damaged. */
  readonly isSnapshotDamaged: boolean
}

/** Migrations before formats were recorded; each later one is a record of the log. */
const UNRECORDED = { takesPosition: false, upTo: FIRST_FORMAT }

/** Reasons for which the store does not have a snapshot. */
const WITHOUT_SNAPSHOT = new Set([SNAPSHOT_DAMAGED, 'STORE_UNAVAILABLE'])

/** Where DocumentCopies finds what a document needs. */
export interface CopyParts {
  readonly stored: StoredFiles
  readonly contents: KeptContents
  /** The other instances; undefined when there are none. */
  readonly peers?: CopySource
}

/** Makes the files of documents on this instance equal to their logs. */
export class DocumentCopies {
  constructor(
    private readonly files: DocumentFiles,
    private readonly parts: CopyParts,
  ) {}

  /**
   * Brings the file of a document up to the latest record: the file of this instance if its last record is in the log,
   * else the latest snapshot, else the file of another instance. Throws `unavailable` for a log that lacks records
   * which the file has, and when the document cannot be made.
   */
  async update(tables: LogTablesDb, docId: string, head: OpenedHead): Promise<UpdatedCopy> {
    const scratch = await this.files.createScratch()
    const task = { docId, head, scratch }
    try {
      const path = this.files.pathOf(docId)
      const own = existsSync(path) ? await this.bringUp(tables, path, task) : undefined
      if (own !== undefined) return { term: own, isSnapshotDamaged: false }
      return await this.make(tables, task).then(
        (term) => ({ term, isSnapshotDamaged: false }),
        (error: unknown) => this.makeFromPeers(tables, task, error),
      )
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Without a snapshot, another instance may have the document: the one that used it last has all of it. */
  private async makeFromPeers(
    tables: LogTablesDb,
    task: Task,
    error: unknown,
  ): Promise<UpdatedCopy> {
    const { docId, head, scratch } = task
    const reason = toAppError(error)?.reason ?? ''
    const { peers } = this.parts
    if (!peers || !WITHOUT_SNAPSHOT.has(reason)) throw error
    let count = 0
    for await (const copy of peers.find(docId)) {
      if (!(await this.isInLog(tables, docId, { last: copy.position, head }))) continue
      const path = join(scratch, `copy-${count++}.sqlite`)
      await copy.save(path)
      const term = await this.bringUp(tables, path, task)
      if (term === undefined) continue
      await this.files.replace(docId, path)
      return { term, isSnapshotDamaged: reason === SNAPSHOT_DAMAGED }
    }
    throw error
  }

  /** Brings a file up to the latest record; undefined when it is damaged, or its last record is not in the log. */
  private async bringUp(
    tables: LogTablesDb,
    path: string,
    task: Task,
  ): Promise<number | undefined> {
    const { docId, head } = task
    let connection: Connection | undefined
    try {
      connection = openWriter(path)
      connection.db.pragma('synchronous = NORMAL')
      requireDocumentFile(connection.db)
      migrate(connection.db, UNRECORDED)
      const last = positionOf(connection)
      if (last.lsn > head.lsn) throw logBehind()
      if (!(await this.isInLog(tables, docId, { last, head }))) return undefined
      await this.redo(tables, connection, { ...task, after: last.lsn })
      if (path !== this.files.pathOf(docId)) connection.complete()
      return positionOf(connection).term
    } catch (error) {
      // A file that is damaged or differs from its log is made anew.
      if (error instanceof RedoError || isDamage(error)) return undefined
      throw error
    } finally {
      connection?.close()
    }
  }

  private async isInLog(
    tables: LogTablesDb,
    docId: string,
    { last, head }: { readonly last: FilePosition } & Pick<Task, 'head'>,
  ): Promise<boolean> {
    if (head.snapshot?.lsn === last.lsn && head.snapshot.term === last.term) return true
    return (await findRecordTerm(tables, docId, last.lsn)) === last.term
  }

  private async make(tables: LogTablesDb, task: Task): Promise<number> {
    const path = join(task.scratch, DOCUMENT_FILE)
    const term = await this.writeFile(tables, path, task)
    await this.files.replace(task.docId, path)
    return term
  }

  /**
   * Writes a document to a new path, from its latest snapshot and the log, also one that was deleted. Throws `unavailable`
   * without that snapshot, and RedoError when the log lacks a record.
   */
  async write(tables: LogTablesDb, path: string, of: Omit<Task, 'scratch'>): Promise<void> {
    const scratch = await this.files.createScratch()
    try {
      await this.writeFile(tables, path, { ...of, scratch })
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Returns the term of the last record. */
  private async writeFile(tables: LogTablesDb, path: string, task: Task): Promise<number> {
    const { docId, head } = task
    if (!head.snapshot) await createFile(path, '', { flag: 'wx', mode: 0o600 })
    else if (!(await this.parts.stored.get(docId, snapshotName(head.snapshot), path)))
      throw new AppError(
        'unavailable',
        'SNAPSHOT_DAMAGED',
        'the snapshot of the document is missing',
      )
    const connection = openWriter(path)
    try {
      // Nobody reads the copy before it is complete.
      connection.db.pragma('journal_mode = WAL')
      connection.db.pragma('synchronous = OFF')
      migrate(connection.db, UNRECORDED)
      const after = head.snapshot?.lsn ?? 0
      await this.redo(tables, connection, { ...task, after })
      const { term } = positionOf(connection)
      connection.complete()
      return term
    } finally {
      connection.close()
    }
  }

  private redo(
    tables: LogTablesDb,
    connection: Connection,
    { docId, head, scratch, after }: Task & { readonly after: number },
  ): Promise<void> {
    return redoTail(connection, {
      after,
      upTo: head.lsn,
      read: (lsn) => readRecords(tables, docId, lsn),
      fetch: (hash, path) => this.parts.contents.fetch(docId, hash, path),
      scratch,
    })
  }
}

interface Task {
  readonly docId: string
  readonly head: Pick<OpenedHead, 'lsn' | 'snapshot'>
  readonly scratch: string
}

/** The log lacks records that the file of this instance has: an operator has to choose between them. */
export function logBehind(): AppError {
  return new AppError(
    'unavailable',
    'LOG_BEHIND',
    'the log of the document lacks changes that were confirmed: an operator must restore it',
  )
}

/** A file for which the disk has no room is whole. */
function isDamage(error: unknown): boolean {
  const { reason, code } = error as { readonly reason?: unknown; readonly code?: unknown }
  return reason === 'DOCUMENT_DAMAGED' || (spoilsConnection(error) && code !== 'SQLITE_FULL')
}
