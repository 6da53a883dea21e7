import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Empty files, one for each document that may have changes which NATS has not confirmed: after a crash they
 * show which documents to examine, without opening all of them. A marker is on disk when `set` returns;
 * clearing one is lazy, since a superfluous marker only costs an examination.
 */
export class UnpublishedMarkers {
  private readonly marked: Set<string>

  private constructor(private readonly folder: string) {
    this.marked = new Set(readdirSync(folder))
  }

  /** Opens the folder, creating it if necessary. */
  static open(folder: string): UnpublishedMarkers {
    mkdirSync(folder, { recursive: true })
    return new UnpublishedMarkers(folder)
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

  /** As `set`, without blocking the event loop. */
  async setLater(docId: string): Promise<void> {
    if (this.marked.has(docId)) return
    closeSync(openSync(join(this.folder, docId), 'w', 0o600))
    const handle = await open(this.folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
    this.marked.add(docId)
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
