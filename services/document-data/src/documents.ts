import { join } from 'node:path'
import { formulaObservers } from './formula-metrics'
import type { FormulaLimits } from './formulas/formula-limits'
import { Formulas } from './formulas/formulas'
import { countGroup } from './metrics'
import { openHomes, type OpenedHomes } from './replication/homes/open-homes'
import { RestingFiles } from './replication/resting-files'
import type { DirectoryLease } from './replication/home-lease'
import type { LeaseThread } from './replication/homes/lease-thread'
import {
  openReplication,
  type ReplicationContext,
  type ReplicationSettings,
} from './open-replication'
import { PastDocuments } from './moments/past-documents'
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
  readonly pastBytes: number
  readonly formulas: FormulaLimits
  /** See DocumentStoreOptions. */
  readonly keptDays: number
  /** Name of this instance. */
  readonly home: string
  readonly replication?: ReplicationSettings
}

/** The documents of this instance, and the formulas that are computed in them. */
export interface OpenedDocuments {
  readonly documents: DocumentStore
  /** The documents as they were at former moments. */
  readonly past: PastDocuments
  readonly formulas: Formulas
  /** The lease under which documents are read; undefined without replication. */
  readonly lease: DirectoryLease | undefined
  /** Renews it while the event loop is blocked. */
  readonly leaseThread: LeaseThread | undefined
  /** Stores documents outside of this disk; undefined without replication. */
  readonly adoptions: OpenedHomes['adoptions'] | undefined
  /** Hands documents over to other instances; undefined without replication. */
  readonly handOvers: OpenedHomes['handOvers'] | undefined
  /** Removes files of documents from the disk; undefined without replication. */
  readonly restingFiles: RestingFiles | undefined
}

const withoutReplication = {
  lease: undefined,
  leaseThread: undefined,
  adoptions: undefined,
  handOvers: undefined,
  restingFiles: undefined,
}

/**
 * Opens the document store of this instance with the given settings; `closer` closes it. Throws when SQLite cannot be loaded.
 */
export async function openDocuments(
  config: DocumentSettings,
  context: ReplicationContext,
): Promise<OpenedDocuments> {
  const { closer, log } = context
  loadSqlite()
  const formulas = closer.use(Formulas.open(config.formulas, log, formulaObservers))
  const replication =
    config.replication && (await openReplication(config.home, config.replication, context))
  const reading = {
    maxOpen: config.maxOpenDocuments,
    idleMs: config.idleSeconds * 1000,
    maxReadMs: config.maxReadSeconds * 1000,
    workers: config.workers,
    maxIndexes: config.maxIndexes,
    onWorkerCrash: (error: unknown) => log.error({ err: error }, 'a worker thread crashed'),
    onFileError: (error: unknown, docId: string) =>
      log.error({ err: error, docId }, 'a document file failed'),
  }
  const documents = await DocumentStore.open({
    ...reading,
    replicate: replication?.replicate,
    folder: join(config.dataFolder, 'documents'),
    keptDays: config.keptDays,
    traceWrite,
    stages: formulas,
    observeGroup: countGroup,
  })
  closer.use(documents)
  const past = closer.use(await openPast(documents, config, reading))
  const { homes, systemTokens, tls } = context
  if (!replication || !config.replication)
    return { documents, past, formulas, ...withoutReplication }
  const { lease, leaseThread } = replication
  const parts = { instance: config.home, startId: lease.startId, homes, systemTokens, log }
  const budget = { bytes: config.replication.diskBytes }
  const { database } = replication
  const restingFiles = closer.use(new RestingFiles(documents, { database, budget, log }))
  const everyMs = config.replication.balanceSeconds * 1000
  const opened = openHomes(documents, { ...parts, lease, everyMs, tls }, closer)
  return { documents, past, formulas, lease, leaseThread, restingFiles, ...opened }
}

function openPast(
  documents: DocumentStore,
  { dataFolder, pastBytes: maxBytes }: DocumentSettings,
  reading: Omit<DocumentStoreOptions, 'folder'>,
): Promise<PastDocuments> {
  const folder = join(dataFolder, 'past')
  const openStore = () => DocumentStore.open({ ...reading, folder, isPast: true })
  return PastDocuments.open(documents, { folder, maxBytes, openStore })
}
