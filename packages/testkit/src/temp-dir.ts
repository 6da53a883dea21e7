import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is deleted with all that is in it when it is disposed of. */
export interface TempDir extends AsyncDisposable {
  readonly path: string
}

/** Makes an empty folder that belongs to the test alone. */
export async function tempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'sheaf-test-'))
  return {
    path,
    // A process that was just killed may still be writing: a folder that fills up is emptied again.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
