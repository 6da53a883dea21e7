import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Empty files, one for each document that may hold changes which NATS has not confirmed: after a crash they tell which
 * documents to look at, without opening all of them. Setting one is on disk when `set` returns; clearing one is lazy,
 * since a marker too many only costs a look.
 */
export class UnpublishedMarkers {
  private readonly marked: Set<string>

  private constructor(private readonly folder: string) {
    this.marked = new Set(readdirSync(folder))
  }

  /** Opens the folder, making it when it is not there. */
  static open(folder: string): UnpublishedMarkers {
    mkdirSync(folder, { recursive: true })
    return new UnpublishedMarkers(folder)
  }

  /** Ids of the documents that are marked. */
  list(): string[] {
    return [...this.marked]
  }

  /** Marks a document; costs nothing when it is marked already. */
  set(docId: string): void {
    if (this.marked.has(docId)) return
    closeSync(openSync(join(this.folder, docId), 'w', 0o600))
    syncFolder(this.folder)
    this.marked.add(docId)
  }

  /** As `set`, without stopping the process while the disk works. */
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

  /** Takes the mark away. */
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
