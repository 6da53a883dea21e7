import type { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import type { DocumentDataConfig } from '../config'
import type { DirectoryClients } from '../directory-clients'
import type { OpenedDocuments } from '../documents'
import { ChangeReports } from './change-reports'
import { ChangePublisher } from './publisher'

/** Dependencies of the publisher of changes. */
interface PublisherParts extends DirectoryClients {
  readonly opened: OpenedDocuments
  readonly log: Logger
  readonly closer: Closer
}

/** Opens the publisher of changes, which also reports them to directory; `closer` closes both. */
export function openPublisher(
  config: DocumentDataConfig,
  { opened: { documents, handOvers }, homes, systemTokens, log, closer }: PublisherParts,
): ChangePublisher {
  const reports = closer.use(new ChangeReports({ homes, systemTokens, log }))
  const publisher = new ChangePublisher(documents.publishing, {
    natsUrl: config.natsUrl,
    name: config.home,
    limits: {
      days: config.changesDays,
      megabytes: config.changesMegabytes,
      replicas: config.changesReplicas,
    },
    log,
    continueElsewhere: handOvers && ((docId) => handOvers.continueElsewhere(docId)),
    onPublished: (docId, entries) => reports.note(docId, entries),
  })
  return closer.use(publisher)
}
