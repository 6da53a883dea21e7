import { join } from 'node:path'
import type { Closer } from '@sheaf/kit/lifecycle'
import { LogDatabase } from '@sheaf/document-log/log-database'
import type { Logger } from '@sheaf/kit/logger'
import { formulaObservers } from './formula-metrics'
import type { FormulaLimits } from './formulas/formula-limits'
import { Formulas } from './formulas/formulas'
import { countAppend, countGroup, countStoreCall } from './metrics'
import { openObjects, type StoreSettings } from './replication/open-objects'
import { ReplicatedDocuments } from './replication/replicated-documents'
import { ReportedStore } from './replication/reported-store'
import { StoredFiles } from './replication/stored-files'
import { DocumentStore, type DocumentStoreOptions } from './store/documents/document-store'
import { loadSqlite } from './store/sqlite/connections'
import { traceWrite } from './write-trace'

/** The settings that a document store needs. */
interface DocumentSettings {
  readonly dataFolder: string
  readonly maxOpenDocuments: number
  readonly idleSeconds: number
  readonly maxReadSeconds: number
  readonly workers: number
  readonly maxIndexes: number
  readonly formulas: FormulaLimits
  /** Name of this instance. */
  readonly home: string
  readonly replication?: ReplicationSettings
}

/** Where documents are kept besides the files of this instance. */
interface ReplicationSettings {
  readonly logDatabaseUrl: string
  readonly store: StoreSettings
}

/** The documents of this instance, and the formulas that are computed in them. */
export interface OpenedDocuments {
  readonly documents: DocumentStore
  readonly formulas: Formulas
}

/**
 * Opens the document store of this instance with the given settings; `closer` closes it. Throws when SQLite cannot be loaded.
 */
export async function openDocuments(
  config: DocumentSettings,
  closer: Closer,
  log: Logger,
): Promise<OpenedDocuments> {
  loadSqlite()
  const formulas = closer.use(Formulas.open(config.formulas, log, formulaObservers))
  const { home, replication } = config
  const replicate = replication && (await openReplication(home, replication, log))
  const documents = await DocumentStore.open({
    replicate,
    folder: join(config.dataFolder, 'documents'),
    maxOpen: config.maxOpenDocuments,
    idleMs: config.idleSeconds * 1000,
    maxReadMs: config.maxReadSeconds * 1000,
    workers: config.workers,
    maxIndexes: config.maxIndexes,
    traceWrite,
    stages: formulas,
    observeGroup: countGroup,
    onWorkerCrash: (error) => log.error({ err: error }, 'a worker thread crashed'),
    onFileError: (error, docId) => log.error({ err: error, docId }, 'a document file failed'),
  })
  return { documents: closer.use(documents), formulas }
}

/** Opens the replication of the documents of an instance. */
async function openReplication(
  instance: string,
  { logDatabaseUrl: url, store }: ReplicationSettings,
  log: Logger,
): Promise<DocumentStoreOptions['replicate']> {
  const objects = new ReportedStore(await openObjects(store), (call) => {
    countStoreCall(call)
    const { operation, error } = call
    if (error !== undefined) log.warn({ err: error, operation }, 'a call of the store failed')
  })
  return (host) => {
    const database = new LogDatabase({ url, log, observe: countAppend })
    const stored = new StoredFiles(objects)
    return new ReplicatedDocuments({ log, database, stored, instance }, host)
  }
}
