import { lockDataDir, type DataLock } from '@sheaf/engines/data-lock'
import { makeFolder } from '@sheaf/kit/make-folder'
import { StartError } from './start-error'

export type { DataLock }

/**
 * Locks the data folder, and creates it if necessary. Throws StartError when it cannot be created, EngineError
 * when another Sheaf uses it.
 */
export async function openDataFolder(dataDir: string): Promise<DataLock> {
  await makeFolder(dataDir).catch((error: Error) => {
    throw new StartError(`the data folder ${dataDir} cannot be used: ${error.message}`)
  })
  return lockDataDir(dataDir)
}
