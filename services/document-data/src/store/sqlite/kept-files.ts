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

/** Name of the file of a deleted document, in its folder. */
const FILE = 'document.sqlite'

/** The files of deleted documents that are kept for a while: `<root>/kept/<id>/document.sqlite`. Nobody writes them. */
export class KeptFiles {
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
    for (const changed of [folder, join(folder, '..'), this.root]) await this.folders.sync(changed)
  }

  /** Path of the file of a deleted document; undefined when none is kept. */
  find(docId: string): string | undefined {
    const path = join(this.folderOf(docId), FILE)
    return existsSync(path) ? path : undefined
  }

  /** All files, those of the documents that were deleted longest ago first. */
  async list(): Promise<KeptFile[]> {
    const names = await readdir(join(this.root, 'kept')).catch(() => [])
    const kept = await Promise.all(
      names.map(async (docId) => {
        const tombstone = await stat(this.tombstoneOf(docId)).catch(() => undefined)
        return { docId, deletedAt: tombstone?.mtimeMs ?? 0 }
      }),
    )
    return kept.sort((a, b) => a.deletedAt - b.deletedAt)
  }

  /** Removes the file of a deleted document. */
  async drop(docId: string): Promise<void> {
    await rm(this.folderOf(docId), { recursive: true, force: true })
  }

  private folderOf(docId: string): string {
    return join(this.root, 'kept', docId)
  }
}
