import { join } from 'node:path'
import type { Closer } from '@sheaf/kit/lifecycle'
import { LogDatabase } from '@sheaf/document-log/log-database'
import type { Logger } from '@sheaf/kit/logger'
import { formulaObservers } from './formula-metrics'
import type { FormulaLimits } from './formulas/formula-limits'
import { Formulas } from './formulas/formulas'
import { countAppend, countGroup } from './metrics'
import { FolderStore } from './replication/folder-store'
import { ReplicatedDocuments } from './replication/replicated-documents'
import { StoredFiles } from './replication/stored-files'
import { DocumentStore, type DocumentStoreOptions } from './store/documents/document-store'
import { loadSqlite } from './store/sqlite/connections'
import { traceWrite } from './write-trace'

/** The settings that a document store needs. */
interface StoreSettings {
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
  readonly storeFolder: string
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
  config: StoreSettings,
  closer: Closer,
  log: Logger,
): Promise<OpenedDocuments> {
  loadSqlite()
  const formulas = closer.use(Formulas.open(config.formulas, log, formulaObservers))
  const replicate = config.replication && replication(config.home, config.replication, log)
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
function replication(
  instance: string,
  { logDatabaseUrl: url, storeFolder }: ReplicationSettings,
  log: Logger,
): DocumentStoreOptions['replicate'] {
  return (host) => {
    const database = new LogDatabase({ url, log, observe: countAppend })
    const stored = new StoredFiles(new FolderStore(storeFolder))
    return new ReplicatedDocuments({ log, database, stored, instance }, host)
  }
}
