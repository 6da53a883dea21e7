import { existsSync } from 'node:fs'
import { createHead, listHeads } from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import type { ReplicatorHost } from '../store/documents/replicator'
import { logBehind } from './document-copies'
import { migrateFile, readFileFormat, readFilePosition } from './file-position'
import type { HomeLease } from './home-lease'
import type { SnapshotJobs } from './snapshot-jobs'

/** Documents whose logs are looked for at once. */
const STEP = 1000
/** Why a file cannot be used, whenever that is tried again. */
const UNUSABLE = new Set(['DOCUMENT_DAMAGED', 'DOCUMENT_TOO_NEW', 'LOG_BEHIND'])

/** Gives a log to documents that this instance has written without replication. */
export class Adoption {
  constructor(
    private readonly parts: {
      readonly log: Logger
      readonly database: LogDatabase
      readonly instance: string
      readonly lease: Pick<HomeLease, 'writeFormat'>
    },
    private readonly host: ReplicatorHost,
    private readonly snapshots: Pick<SnapshotJobs, 'store'>,
  ) {}

  /** See Replicator.adopt. Files that cannot be used are reported and left as they are. */
  async adoptAll(): Promise<void> {
    const waiting: string[] = []
    for await (const docId of this.host.files.list())
      if (waiting.push(docId) === STEP) await this.adoptSome(waiting.splice(0))
    await this.adoptSome(waiting)
  }

  /** Returns false when this instance has no file of the document. */
  async adopt(docId: string): Promise<boolean> {
    if (!existsSync(this.host.files.pathOf(docId))) return false
    const path = this.host.files.find(docId)
    migrateFile(path, this.parts.lease.writeFormat)
    if (readFilePosition(path).term > 0) throw logBehind()
    const snapshot = await this.snapshots.store(docId, path)
    const tables = await this.parts.database.tables()
    const { instance } = this.parts
    await createHead(tables, {
      doc: docId,
      instance,
      records: [],
      format: readFileFormat(path),
      snapshot,
    })
    return true
  }

  private async adoptSome(docIds: readonly string[]): Promise<void> {
    const tables = await this.parts.database.tables()
    const heads = new Map((await listHeads(tables, docIds)).map((head) => [head.doc, head]))
    for (const docId of docIds) {
      const head = heads.get(docId)
      try {
        if (!head) await this.adopt(docId)
        // Deleted while this instance was away.
        else if (head.deleted) await this.host.files.remove(docId, false)
      } catch (error) {
        const reason = toAppError(this.host.translate(error, docId))?.reason ?? ''
        if (!UNUSABLE.has(reason)) throw error
        this.parts.log.error({ err: error, docId }, 'a document on this disk cannot be replicated')
      }
    }
  }
}
