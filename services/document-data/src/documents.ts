import { join } from 'node:path'
import type { Logger } from '@sheaf/kit/logger'
import type { DocumentDataConfig } from './config'
import { DocumentStore } from './store/document-store'
import { traceWrite } from './write-trace'

/** Opens the documents of this instance as the settings say. */
export function openDocuments(config: DocumentDataConfig, log: Logger): Promise<DocumentStore> {
  return DocumentStore.open({
    folder: join(config.dataFolder, 'documents'),
    maxOpen: config.maxOpenDocuments,
    idleMs: config.idleSeconds * 1000,
    maxReadMs: config.maxReadSeconds * 1000,
    workers: config.workers,
    maxIndexes: config.maxIndexes,
    traceWrite,
    onWorkerCrash: (error) => log.error({ err: error }, 'a worker thread died'),
    onFileError: (error, docId) => log.error({ err: error, docId }, 'a document file failed'),
  })
}
