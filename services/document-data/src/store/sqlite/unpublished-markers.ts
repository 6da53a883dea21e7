import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFile, type FolderSync } from './durable-files'

/**
 * Empty files, one for each document that may have changes which NATS has not confirmed: after a crash they
 * show which documents to examine, without opening all of them. A marker is on disk when `set` returns;
 * clearing one is lazy, since a superfluous marker only costs an examination.
 */
export class UnpublishedMarkers {
  private readonly marked: Set<string>

  private constructor(
    private readonly folder: string,
    private readonly folders: FolderSync,
  ) {
    this.marked = new Set(readdirSync(folder))
  }

  /** Opens the folder, creating it if necessary. */
  static open(folder: string, folders: FolderSync): UnpublishedMarkers {
    mkdirSync(folder, { recursive: true })
    return new UnpublishedMarkers(folder, folders)
  }

  /** Ids of the documents that are marked. */
  list(): string[] {
    return [...this.marked]
  }

  /** Marks a document; free of cost when it is marked already. */
  set(docId: string): void {
    if (this.marked.has(docId)) return
    closeSync(openSync(join(this.folder, docId), 'w', 0o600))
    syncFolder(this.folder)
    this.marked.add(docId)
  }

  /**
   * Creates a marker without blocking the event loop. It is on disk when its `set` resolves, which takes little when a
   * file that was created later has been synchronized before.
   */
  async prepare(docId: string): Promise<{ set(): Promise<void> }> {
    if (this.marked.has(docId)) return { set: () => Promise.resolve() }
    closeSync(await createFile(join(this.folder, docId)))
    return {
      set: async () => {
        await this.folders.sync(this.folder)
        this.marked.add(docId)
      },
    }
  }

  /** Removes the marker of a document. */
  clear(docId: string): void {
    if (!this.marked.delete(docId)) return
    rmSync(join(this.folder, docId), { force: true })
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
