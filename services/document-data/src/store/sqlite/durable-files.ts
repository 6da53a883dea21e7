import { closeSync, fsync, open, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { GroupedCalls } from '@sheaf/kit/grouped-calls'

// Descriptors rather than FileHandles, which take longer. What changes a folder may wait for the disk, so it is left to
// a thread; what does not is called directly.
const openLater = promisify(open)
const fsyncLater = promisify(fsync)

/**
 * Makes entries of folders durable. Calls for one folder that come while it is being synchronized share the next
 * synchronization, which begins after all of them.
 */
export class FolderSync {
  private readonly calls = new GroupedCalls<string, undefined, Outcome>(async (path, items) => {
    const outcome = await syncFolder(path)
    return items.map(() => outcome)
  })

  /** Resolves when all entries that the folder has now are on disk. Throws an error of the system. */
  async sync(path: string): Promise<void> {
    const { error } = await this.calls.call(path, undefined)
    if (error !== undefined) throw error
  }
}

/** A failed synchronization fails all calls: one that is repeated succeeds although the entries are lost. */
interface Outcome {
  readonly error?: Error
}

async function syncFolder(path: string): Promise<Outcome> {
  try {
    const folder = openSync(path, 'r')
    try {
      await syncFile(folder)
    } finally {
      closeSync(folder)
    }
    return {}
  } catch (error) {
    return { error: error as Error }
  }
}

/** Resolves when all that was written to an open file is on disk. */
export function syncFile(file: number): Promise<void> {
  return fsyncLater(file)
}

/** Resolves when all that was written to a closed file is on disk. */
export async function syncWritten(path: string): Promise<void> {
  const file = openSync(path, 'r+')
  try {
    await syncFile(file)
  } finally {
    closeSync(file)
  }
}

/** Creates a file, or empties it, and resolves to its descriptor. */
export function createFile(path: string): Promise<number> {
  return openLater(path, 'w', 0o600)
}
