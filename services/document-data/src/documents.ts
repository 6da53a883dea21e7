import { join } from 'node:path'
import type { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import { formulaObservers } from './formula-metrics'
import type { FormulaLimits } from './formulas/formula-limits'
import { Formulas } from './formulas/formulas'
import { countGroup } from './metrics'
import { DocumentStore } from './store/documents/document-store'
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
  const documents = await DocumentStore.open({
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
