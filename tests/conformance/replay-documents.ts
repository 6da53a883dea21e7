import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { replayDocument } from '@sheaf/document-data/store/redo/replay-document'

/** Milliseconds between two looks at the documents: the kit deletes most of them within seconds. */
const EVERY_MS = 200

/** Documents made again from their bases and logs. */
export interface Replayed {
  readonly documents: number
  readonly entries: number
  /** Differences, with the name of the file. */
  readonly differences: readonly string[]
}

/**
 * Makes every document of a data folder again from its base and its log while `work` changes them, and at the end, and
 * compares.
 */
export async function replayDocumentsDuring<T>(
  dataDir: string,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly replayed: Replayed }> {
  const differences: string[] = []
  /** Entries by document, and when its files had changed at the last look. */
  const seen = new Map<string, { entries: number; changedAt: number }>()
  const look = async () => {
    for (const path of listDocuments(dataDir)) {
      const known = seen.get(path)
      const changedAt = changeTimeOf(path)
      if (changedAt === known?.changedAt) continue
      try {
        const replay = await replayDocument(dirname(path))
        seen.set(path, { entries: replay.entries, changedAt })
        const { skipped } = replay
        for (const what of skipped === undefined ? replay.differences : [skipped])
          differences.push(`${path}: ${what}`)
      } catch (error) {
        // Closed, or removed, in this moment.
        const isClosed = (error as { code?: unknown }).code === 'SQLITE_CANTOPEN'
        if (!isClosed && existsSync(path)) differences.push(`${path}: ${String(error)}`)
      }
    }
  }
  let isDone = false
  const looking = (async () => {
    while (!isDone) {
      await look()
      await delay(EVERY_MS)
    }
  })()
  try {
    const result = await work()
    isDone = true
    await looking
    await look()
    const entries = [...seen.values()].reduce((sum, { entries }) => sum + entries, 0)
    return { result, replayed: { documents: seen.size, entries, differences } }
  } finally {
    isDone = true
    // Also after a failure of the work, before the folder is removed.
    await looking
  }
}

/** The time of the last change of a document; 0 for one that has been removed. */
function changeTimeOf(path: string): number {
  const times = [path, `${path}-wal`].map(
    (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs,
  )
  return Math.max(...times.map((time) => time ?? 0))
}

function listDocuments(dataDir: string): string[] {
  const folder = join(dataDir, 'documents')
  return readdirSync(folder)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => readdirSync(join(folder, name)).map((id) => join(folder, name, id)))
    .map((path) => join(path, 'document.sqlite'))
    .filter((path) => existsSync(path))
}
