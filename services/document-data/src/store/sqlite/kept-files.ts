import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderSync } from './durable-files'

/** A file of a deleted document. */
export interface KeptFile {
  readonly docId: string
  /** When the document was deleted, in epoch milliseconds. */
  readonly deletedAt: number
}

const DOCUMENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Number of files that are looked at at once, and of those that are remembered. */
const STEP = 100
const MAX_OLDEST = 1_000
/** Name of the file of a deleted document, in its folder. */
const FILE = 'document.sqlite'

/** Whether a name is the id of a document: a UUID in lower case. */
export function isDocumentId(name: string): boolean {
  return DOCUMENT_ID.test(name)
}

/** The files of deleted documents that are kept for a while: `<root>/kept/<id>/document.sqlite`. Nobody writes them. */
export class KeptFiles {
  /** Some files, those of the documents that were deleted longest ago first: no other one is older. */
  private oldest: readonly KeptFile[] = []
  /** True while there may be others. */
  private hasMore = true

  constructor(
    private readonly root: string,
    private readonly folders: FolderSync,
    /** Path of the file whose time tells when a document was deleted. */
    private readonly tombstoneOf: (docId: string) => string,
  ) {}

  /** Moves the file of a document, with what was written ahead to it, durably; what was moved before stays. */
  async keep(docId: string, path: string): Promise<void> {
    const folder = this.folderOf(docId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // The document is deleted already: if this ends in between, it is repeated with the deletion.
    for (const suffix of ['-wal', ''])
      if (existsSync(path + suffix)) await rename(path + suffix, join(folder, FILE + suffix))
    this.hasMore = true
    for (const changed of [folder, join(folder, '..'), this.root]) await this.folders.sync(changed)
  }

  /** Path of the file of a deleted document; undefined when none is kept. */
  find(docId: string): string | undefined {
    const path = join(this.folderOf(docId), FILE)
    return existsSync(path) ? path : undefined
  }

  /**
   * The file of the document that was deleted longest ago; undefined when none is kept. Looks at all files only when those that an
   * earlier look has found to be the oldest are gone: a document that is deleted later is no older.
   */
  async findOldest(): Promise<KeptFile | undefined> {
    if (this.oldest.length === 0 && this.hasMore) await this.lookAtAll()
    return this.oldest[0]
  }

  /** Removes the file of a deleted document. */
  async drop(docId: string): Promise<void> {
    await rm(this.folderOf(docId), { recursive: true, force: true })
    this.oldest = this.oldest.filter((file) => file.docId !== docId)
  }

  private async lookAtAll(): Promise<void> {
    this.hasMore = false
    try {
      const names = await readdir(join(this.root, 'kept')).catch(() => [])
      const found: KeptFile[] = []
      const docIds = names.filter(isDocumentId)
      for (let from = 0; from < docIds.length; from += STEP)
        found.push(...(await Promise.all(docIds.slice(from, from + STEP).map(this.fileOf))))
      found.sort((a, b) => a.deletedAt - b.deletedAt)
      this.oldest = found.slice(0, MAX_OLDEST)
      if (found.length > MAX_OLDEST) this.hasMore = true
    } catch (error) {
      this.hasMore = true
      throw error
    }
  }

  private readonly fileOf = async (docId: string): Promise<KeptFile> => {
    const tombstone = await stat(this.tombstoneOf(docId)).catch(() => undefined)
    return { docId, deletedAt: tombstone?.mtimeMs ?? 0 }
  }

  private folderOf(docId: string): string {
    return join(this.root, 'kept', docId)
  }
}
