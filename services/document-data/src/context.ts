import { createDirectoryVerifier, type TokenVerifier } from '@sheaf/auth/caller-token'
import type { Closer } from '@sheaf/kit/lifecycle'
import { createLogger, type Logger } from '@sheaf/kit/logger'
import { FairShare } from '@sheaf/kit/fair-share'
import { Admission } from './admission'
import { openPublisher } from './changes/open-publisher'
import type { DocumentDataConfig } from './config'
import { openDocuments, type OpenedDocuments } from './documents'
import { openDirectoryClients, type DirectoryClients } from './directory-clients'
import { EventLoopDelay } from './event-loop-delay'
import { Imports } from './import/imports'
import { KeyWrites } from './key-writes'
import { Cursors } from './query/cursor'
import { RowLookups } from './sql/row-lookups'
import { SqlPool } from './sql/sql-pool'

/** Maximum number of concurrent uploads; half of them for one document. */
const MAX_UPLOADS = 64

/** Dependencies of the handlers. */
export interface Context extends OpenedDocuments, DirectoryClients {
  readonly log: Logger
  /** Name of this instance. */
  readonly home: string
  /** Runs SQL from callers. */
  readonly sql: SqlPool
  /** Runs statements from callers that look up one row. */
  readonly lookups: RowLookups
  readonly imports: Imports
  /** Maximum size of an imported file, in bytes. */
  readonly maxImportBytes: number
  /** Admission control of calls. */
  readonly admission: Admission
  readonly publisher: ReturnType<typeof openPublisher>
  /** Counts the rows that keys with an hourly cap write. */
  readonly keyWrites: KeyWrites
  readonly serviceKey: string
  readonly verifier: TokenVerifier
  /** Creates and verifies page cursors. */
  readonly cursors: Cursors
  readonly attachmentLimits: DocumentDataConfig['attachments']
  /** Limits concurrent uploads, because each takes disk space while it is received. */
  readonly uploadPlaces: FairShare
}

/** Replacements for services that a test does not run. */
export interface Overrides {
  /** Verifies caller tokens; replaces the keys of directory. */
  readonly verifier?: TokenVerifier
  /** False to disable heartbeats to directory. */
  readonly reportsHome?: boolean
}

/** Opens the dependencies of the service; `closer` closes them. Does not wait for directory or NATS. */
export async function openContext(
  config: DocumentDataConfig,
  closer: Closer,
  overrides: Overrides,
): Promise<Context> {
  const log = createLogger('document-data')
  const delay = new EventLoopDelay()
  closer.defer(() => delay[Symbol.dispose]())
  const admission = new Admission(config.limits, delay)
  const directory = openDirectoryClients(config, closer)
  const opened = await openDocuments(config, {
    closer,
    log,
    ...directory,
    directoryAddress: config.directoryAddress,
    tls: config.tls,
  })
  const sql = closer.use(
    new SqlPool({
      limits: config.sql,
      maxHoldMs: config.maxReadSeconds * 1000,
      onCrash: (error) => log.error({ err: error }, 'a SQL process failed to start or crashed'),
    }),
  )
  const lookups = new RowLookups()
  closer.defer(() => lookups[Symbol.dispose]())
  const imports = closer.use(new Imports({ maxMs: config.maxImportSeconds * 1000 }))
  const publisher = openPublisher(opened.documents.publishing, {
    ...publisherOptions(config, opened),
    ...directory,
    log,
    closer,
  })
  const verifier = overrides.verifier ?? createDirectoryVerifier(directory.access)
  const { home, maxImportBytes, serviceKey } = config
  return {
    log,
    home,
    ...opened,
    sql,
    lookups,
    imports,
    maxImportBytes,
    admission,
    publisher,
    keyWrites: new KeyWrites(),
    ...directory,
    serviceKey,
    verifier,
    cursors: new Cursors(serviceKey),
    attachmentLimits: config.attachments,
    uploadPlaces: new FairShare(MAX_UPLOADS),
  }
}

function publisherOptions(config: DocumentDataConfig, { handOvers }: OpenedDocuments) {
  return {
    natsUrl: config.natsUrl,
    name: config.home,
    limits: {
      days: config.changesDays,
      megabytes: config.changesMegabytes,
      replicas: config.changesReplicas,
    },
    continueElsewhere: handOvers && ((docId: string) => handOvers.continueElsewhere(docId)),
  }
}
