import { createHash } from 'node:crypto'
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@sheaf/kit/make-folder'
import type { TargetColumn } from './load-target'

/**
 * The state needed to resume an interrupted load; the number of stored rows is read from the table itself.
 */
export interface LoadState {
  readonly docId: string
  readonly tableId: string
  /** Columns of the table in the order of the file. */
  readonly columns: readonly TargetColumn[]
  /** Greatest row id of the table before the load. */
  readonly lastIdBefore: number
  /** Hash of the file, so that a changed file is not resumed. */
  readonly sha256: string
}

/** Stores the state of one file's unfinished load in the cache folder. */
export interface LoadStateFile {
  find(): Promise<LoadState | undefined>
  save(state: LoadState): Promise<void>
  remove(): Promise<void>
}

/** Opens the load state of this CSV file. */
export async function openLoadState(cacheDir: string, csvFile: string): Promise<LoadStateFile> {
  const folder = join(cacheDir, 'loads')
  const name = createHash('sha256')
    .update(await realpath(csvFile).catch(() => csvFile))
    .digest('hex')
    .slice(0, 32)
  const file = join(folder, `${name}.json`)
  return {
    async find() {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as LoadState
      } catch {
        return undefined // missing or unreadable: in both cases there is nothing to resume
      }
    },
    async save(state) {
      await makeFolder(folder)
      const draft = `${file}.${process.pid}.draft`
      await writeFile(draft, JSON.stringify(state), { mode: 0o600 })
      await rename(draft, file)
    },
    remove: () => rm(file, { force: true }),
  }
}
