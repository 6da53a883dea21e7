import { AppError } from '@sheaf/kit/errors'
import type { Connection } from '../sqlite/connections'
import { migrate, requireDocumentFile } from '../sqlite/migrations/index'
import type { SharedResources } from './shared-resources'

/**
 * Prepares the file of a document for use: migrates it to the newest schema unless it is replicated. Throws `unavailable` for a
 * file that is no document, and without replication for one whose document is in a log: what the file had more than the log would
 * be lost later.
 */
export function prepareFile(
  connection: Connection,
  { replicator, isPast }: Pick<SharedResources, 'replicator' | 'isPast'>,
): void {
  requireDocumentFile(connection.db)
  if (replicator) return
  migrate(connection.db)
  if (isPast || (connection.pluck<number>('SELECT term FROM _sheaf_state').get() ?? 0) === 0) return
  throw new AppError(
    'unavailable',
    'DOCUMENT_REPLICATED',
    'the document is replicated: an operator must start its instance with replication, or release it there',
  )
}
