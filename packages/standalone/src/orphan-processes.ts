import { basename } from 'node:path'
import { findProcesses, terminate } from '@sheaf/engines/process-table'

/** For services that a supervisor which was killed has left behind, and which are ending. */
const GRACE_MS = 5_000

/**
 * Ends the services that carry the marker: of a supervisor that was killed. Two document-data on one folder must never be;
 * the first would write on.
 */
export async function endOrphanProcesses(marker: string): Promise<void> {
  const orphans = findProcesses(basename(process.execPath), marker)
  await Promise.all(orphans.map((process) => terminate(process, 'SIGTERM', GRACE_MS)))
}
