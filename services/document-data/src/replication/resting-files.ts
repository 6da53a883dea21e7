import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { findPosition } from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import type { Logger } from '@sheaf/kit/logger'
import type { DocumentStore } from '../store/documents/document-store'
import { readFilePosition } from './file-position'

/** Milliseconds between two looks at the disk. */
const LOOK_MS = 10_000
/** Milliseconds for which a file that has to stay is not looked at again. */
const STAYS_MS = 3600 * 1000

/** How much of the disk the files of documents may have. */
export interface DiskBudget {
  /** Bytes of all files of documents; 0 for as many as the disk has. */
  readonly bytes: number
  /** Another time between two looks, for tests. */
  readonly lookMs?: number
}

/** Dependencies of RestingFiles. */
export interface RestingFilesParts {
  readonly database: LogDatabase
  readonly budget: DiskBudget
  readonly log: Logger
}

interface RestingFile {
  readonly docId: string
  readonly bytes: number
  /** When it was last read or written, as the file system knows it: some update it once a day. */
  readonly usedAt: number
}

/**
 * Removes files of documents that are not in use, those used longest ago first, when they have more than their budget or the
 * disk is nearly full. The next call for such a document makes its file again, from its log and its latest snapshot.
 */
export class RestingFiles implements AsyncDisposable {
  private readonly ended = new AbortController()
  private readonly looking: Promise<void>
  private count = 0
  /** Documents whose files have to stay, and since when that is known. */
  private readonly staying = new Set<string>()
  private stayingSince = 0

  constructor(
    private readonly documents: Pick<DocumentStore, 'files' | 'openDocuments' | 'shared'>,
    private readonly parts: RestingFilesParts,
  ) {
    this.looking = this.run()
  }

  /** Number of files that were removed. */
  get removed(): number {
    return this.count
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ended.abort()
    await this.looking
  }

  private async run(): Promise<void> {
    const { budget, log } = this.parts
    const { signal } = this.ended
    while (!signal.aborted) {
      await delay(budget.lookMs ?? LOOK_MS, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      await this.look().catch((error: unknown) => {
        log.warn(
          { err: error },
          'failed to remove files of documents that are not in use, retrying',
        )
      })
    }
  }

  private async look(): Promise<void> {
    const { files } = this.documents
    const { budget } = this.parts
    const lacking = await files.lackingBytes()
    if (budget.bytes === 0 && lacking <= 0) return
    if (performance.now() - this.stayingSince > STAYS_MS) {
      this.staying.clear()
      this.stayingSince = performance.now()
    }
    const known = await this.list()
    const used = known.reduce((sum, { bytes }) => sum + bytes, 0)
    let excess = Math.max(lacking, budget.bytes === 0 ? 0 : used - budget.bytes)
    for (const file of known.sort((one, other) => one.usedAt - other.usedAt)) {
      if (excess <= 0 || this.ended.signal.aborted) return
      if (await this.remove(file)) excess -= file.bytes
    }
  }

  private async list(): Promise<RestingFile[]> {
    const { files } = this.documents
    const found: RestingFile[] = []
    for await (const docId of files.list()) {
      const path = files.pathOf(docId)
      const [main, wal] = await Promise.all([path, `${path}-wal`].map(statOf))
      // It may have been removed meanwhile.
      if (!main) continue
      const usedAt = Math.max(main.atimeMs, main.mtimeMs)
      found.push({ docId, bytes: main.size + (wal?.size ?? 0), usedAt })
    }
    return found
  }

  private async remove({ docId }: RestingFile): Promise<boolean> {
    const { files, shared } = this.documents
    const isOpen = () => this.documents.openDocuments.includes(docId)
    try {
      if (isOpen() || this.staying.has(docId)) return false
      if (!(await this.canBeMade(docId))) {
        this.staying.add(docId)
        return false
      }
      if (isOpen()) return false
      // A call that comes meanwhile is repeated by the gateway.
      await shared.replicator?.handOver([docId], () => files.drop(docId))
      this.count++
      return true
    } catch (error) {
      this.parts.log.debug({ err: error, docId }, 'the file of a document stays on the disk')
      return false
    }
  }

  /** Whether the log has all that the file has, and the snapshot before it can be read. */
  private async canBeMade(docId: string): Promise<boolean> {
    const { files, shared } = this.documents
    const last = await findPosition(await this.parts.database.tables(), docId)
    // A log that lacks what the file has was restored to an earlier state: only the operator knows what to do.
    if (last === undefined || readFilePosition(files.pathOf(docId)).lsn > last) return false
    return (await shared.replicator?.findSnapshotFault(docId)) === undefined
  }
}

const statOf = (path: string) => stat(path).catch(() => undefined)
