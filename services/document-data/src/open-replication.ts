import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { LogDatabase } from '@sheaf/document-log/log-database'
import type { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import { countAppend, countOpening, countStoreCall } from './metrics'
import type { DocumentStoreOptions } from './store/documents/document-store'
import { DirectoryLease } from './replication/home-lease'
import { LeaseThread } from './replication/homes/lease-thread'
import { openObjects, type StoreSettings } from './replication/objects/open-objects'
import { PeerCopies } from './replication/peer-copies'
import { ReplicatedDocuments } from './replication/replicated-documents'
import { ReportedStore } from './replication/objects/reported-store'
import { StoredFiles } from './replication/objects/stored-files'

/** Where documents are kept besides the files of this instance. */
export interface ReplicationSettings {
  /** The PostgreSQL that holds their logs: `postgres://user:password@host:port/database`. */
  readonly logDatabaseUrl: string
  /** Where snapshots and attachments are kept. */
  readonly store: StoreSettings
  /** Seconds between two looks at whether this instance has more than its share of documents; 0 for never. */
  readonly balanceSeconds: number
  /** Bytes that the files of documents may have on the disk of this instance; 0 for as many as it has. */
  readonly diskBytes: number
}

/** What replication needs besides settings. */
export interface ReplicationContext {
  readonly closer: Closer
  readonly log: Logger
  readonly homes: HomesService
  readonly systemTokens: SystemTokenSource
  readonly directoryAddress: string
  /** Certificates for calls of other instances; plain text without. */
  readonly tls?: TlsFiles
}

/** The replication of the documents of an instance, and the lease under which it reads them. */
export interface OpenedReplication {
  readonly replicate: DocumentStoreOptions['replicate']
  readonly lease: DirectoryLease
  readonly leaseThread: LeaseThread
  /** Ends with the documents. */
  readonly database: LogDatabase
}

/** Prepares the replication of the documents of an instance; `closer` ends it. */
export async function openReplication(
  instance: string,
  { logDatabaseUrl: url, store }: ReplicationSettings,
  { closer, log, homes, systemTokens, directoryAddress, tls }: ReplicationContext,
): Promise<OpenedReplication> {
  const objects = new ReportedStore(await openObjects(store), (call) => {
    countStoreCall(call)
    const { operation, error } = call
    if (error !== undefined) log.warn({ err: error, operation }, 'a call of the store failed')
  })
  const lease = new DirectoryLease(instance, homes, systemTokens)
  closer.defer(() => lease[Symbol.dispose]())
  const leaseThread = closer.use(new LeaseThread(lease.clock, { directoryAddress, tls, log }))
  const peers = closer.use(new PeerCopies({ instance, homes, systemTokens, tls, log }))
  const database = new LogDatabase({ url, log, observe: countAppend })
  return {
    lease,
    leaseThread,
    database,
    replicate: (host) => {
      const stored = new StoredFiles(objects)
      const observeOpening = countOpening
      const parts = { log, database, stored, instance, lease, peers, observeOpening }
      return new ReplicatedDocuments(parts, host)
    },
  }
}
