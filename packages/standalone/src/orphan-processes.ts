import { basename } from 'node:path'
import { findProcesses, terminate } from '@sheaf/engines/process-table'

/** Time for orphan processes to end after SIGTERM. */
const GRACE_MS = 5_000

/**
 * Ends services whose supervisor was killed; the marker among their arguments identifies them. Two document-data processes
 * must never run on one folder, because the first would continue to write.
 */
export async function endOrphanProcesses(marker: string): Promise<void> {
  const orphans = findProcesses(basename(process.execPath), marker)
  await Promise.all(orphans.map((process) => terminate(process, 'SIGTERM', GRACE_MS)))
}
