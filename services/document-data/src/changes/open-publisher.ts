import type { SystemTokenSource } from '@sheaf/auth/system-token'
import type { Closer } from '@sheaf/kit/lifecycle'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { PublishingPort } from '../store/documents/publishing-port'
import { ChangeReports } from './change-reports'
import { ChangePublisher, type PublisherOptions } from './publisher'

/** Dependencies of the publisher of changes, and how directory is called. */
interface PublisherParts extends PublisherOptions {
  readonly homes: Pick<HomesService, 'reportHomeChanges'>
  readonly systemTokens: Pick<SystemTokenSource, 'token'>
  readonly closer: Closer
}

/** Opens the publisher of changes, which also reports them to directory; `closer` closes both. */
export function openPublisher(
  documents: PublishingPort,
  { homes, systemTokens, closer, ...options }: PublisherParts,
): ChangePublisher {
  const reports = closer.use(new ChangeReports({ homes, systemTokens, log: options.log }))
  return closer.use(
    new ChangePublisher(documents, {
      ...options,
      onPublished: (docId, entries) => reports.note(docId, entries),
    }),
  )
}
