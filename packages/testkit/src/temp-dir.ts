import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that is deleted with its contents when it is disposed of. */
export interface TempDir extends AsyncDisposable {
  readonly path: string
}

/** Creates an empty folder for one test. */
export async function tempDir(): Promise<TempDir> {
  const path = await mkdtemp(join(tmpdir(), 'sheaf-test-'))
  return {
    path,
    // A process that was just killed may still be writing, so removal is retried.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  }
}
