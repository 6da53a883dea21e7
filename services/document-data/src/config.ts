import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'
import type { AdmissionLimits } from './admission'
import type { SqlLimits } from './sql/sql-pool'
import type { AttachmentLimits } from './store/attachments/staged-files'

const MIB = 1024 * 1024

/** Settings of the document-data service. */
export interface DocumentDataConfig {
  /** `host:port` to serve on; port 0 takes a free one. */
  readonly listen: string
  /** `host:port` at which other services reach this one; the address it listens on when absent. */
  readonly address?: string
  /** Name of this instance, the home of its documents; stays the same over restarts. */
  readonly home: string
  /** Folder of the data; documents lie in `documents` below it. */
  readonly dataFolder: string
  /** `host:port` of directory. */
  readonly directoryAddress: string
  /** The secret that the processes of one Sheaf share. */
  readonly serviceKey: string
  /** Certificates for the calls between them; plain text without. */
  readonly tls?: TlsFiles
  /** `host:port` where health is served in plain text as well. */
  readonly healthListen?: string
  /** `nats://user:password@host:port`. */
  readonly natsUrl: string
  /** Documents open at once; each takes three file descriptors and some 100 KB or more. */
  readonly maxOpenDocuments: number
  /** A document that is not used for so many seconds is closed. */
  readonly idleSeconds: number
  /** A streamed read that is not taken within so many seconds ends. */
  readonly maxReadSeconds: number
  /** Threads for long reads and index builds; 0 does everything on the event loop, and builds no index. */
  readonly workers: number
  /** Automatic indexes of a table at most. */
  readonly maxIndexes: number
  /** Largest file that can be imported, in bytes. */
  readonly maxImportBytes: number
  /** An import that takes more seconds than this ends. */
  readonly maxImportSeconds: number
  /** NATS keeps changes for so many days … */
  readonly changesDays: number
  /** … or until they are so many MiB. */
  readonly changesMegabytes: number
  /** … on so many servers of NATS. */
  readonly changesReplicas: number
  /** What is taken on at once; more is refused. */
  readonly limits: AdmissionLimits
  /** Bounds of SQL that callers write. */
  readonly sql: SqlLimits
  /** How much may be attached. */
  readonly attachments: AttachmentLimits
}

/** The limits that apply unless settings say otherwise. */
export const defaultLimits: AdmissionLimits = {
  writes: 4000,
  writeBytes: 256 * MIB,
  reads: 200,
  delayMs: 500,
}

/** The limits of SQL that apply unless settings say otherwise. */
export const defaultSqlLimits: SqlLimits = {
  processes: 2,
  waiting: 100,
  timeoutMs: 1000,
  memoryBytes: 256 * MIB,
  maxRows: 1_000_000,
  maxBytes: 32 * MIB,
}

/** The limits of attachments that apply unless settings say otherwise. */
export const defaultAttachments: AttachmentLimits = {
  fileBytes: 100 * MIB,
  documentBytes: 1024 * MIB,
}

/** Reads the settings. Throws ConfigError naming every fault; `warn` receives a sentence for each former name. */
export function readConfig(env: Env, warn?: (sentence: string) => void): DocumentDataConfig {
  const read = new EnvReader(env, warn)
  const megabytes = (name: string, fallback: number) =>
    read.int(name, fallback / MIB, { min: 1, max: 1024 * 1024 }) * MIB
  return read.done({
    listen: read.str('SHEAF_DOCUMENT_DATA_LISTEN', '127.0.0.1:8486'),
    address: read.optional('SHEAF_DOCUMENT_DATA_ADDRESS'),
    home: read.str(read.renamed('SHEAF_HOME', 'SHEAF_INSTANCE_NAME'), 'document-data-0'),
    dataFolder: read.str('SHEAF_DATA', './data'),
    directoryAddress: read.str('SHEAF_DIRECTORY_ADDRESS', '127.0.0.1:8485'),
    serviceKey: read.secret('SHEAF_SERVICE_KEY'),
    tls: readTlsFiles(read),
    healthListen: read.optional('SHEAF_HEALTH_LISTEN'),
    natsUrl: read.secret('NATS_URL'),
    maxOpenDocuments: read.int('SHEAF_OPEN_DOCUMENTS', 200, { min: 1, max: 100_000 }),
    idleSeconds: read.int('SHEAF_IDLE_SECONDS', 60, { min: 1 }),
    maxReadSeconds: read.int('SHEAF_READ_SECONDS', 60, { min: 1, max: 3600 }),
    workers: read.int('SHEAF_WORKERS', 2, { min: 0, max: 64 }),
    maxIndexes: read.int('SHEAF_AUTO_INDEXES', 2, { min: 0, max: 8 }),
    maxImportBytes: read.int('SHEAF_MAX_IMPORT_MB', 256, { min: 1, max: 4096 }) * MIB,
    maxImportSeconds: read.int('SHEAF_IMPORT_SECONDS', 300, { min: 1, max: 3600 }),
    changesDays: read.int('SHEAF_CHANGES_DAYS', 7, { min: 1, max: 3650 }),
    changesMegabytes: read.int('SHEAF_CHANGES_MB', 1024, { min: 1 }),
    changesReplicas: read.int('SHEAF_CHANGES_REPLICAS', 1, { min: 1, max: 5 }),
    sql: readSqlLimits(read),
    limits: {
      writes: read.int('SHEAF_PENDING_WRITES', defaultLimits.writes, { min: 2 }),
      writeBytes:
        read.int(
          read.renamed('SHEAF_PENDING_MB', 'SHEAF_PENDING_WRITES_MB'),
          defaultLimits.writeBytes / MIB,
          { min: 1 },
        ) * MIB,
      reads: read.int('SHEAF_PENDING_READS', defaultLimits.reads, { min: 2 }),
      delayMs: read.int('SHEAF_LOOP_DELAY_MS', defaultLimits.delayMs, { min: 10 }),
    },
    attachments: {
      fileBytes: megabytes('SHEAF_MAX_ATTACHMENT_MB', defaultAttachments.fileBytes),
      documentBytes: megabytes('SHEAF_MAX_ATTACHMENTS_MB', defaultAttachments.documentBytes),
    },
  })
}

function readSqlLimits(read: EnvReader): SqlLimits {
  const { processes, waiting, timeoutMs, memoryBytes, maxRows, maxBytes } = defaultSqlLimits
  const bytes = (name: string, fallback: number, bounds: { min: number; max: number }) =>
    read.int(name, fallback / MIB, bounds) * MIB
  return {
    processes: read.int('SHEAF_SQL_PROCESSES', processes, { min: 1, max: 64 }),
    waiting: read.int('SHEAF_SQL_WAITING', waiting, { min: 2, max: 10_000 }),
    timeoutMs: read.int('SHEAF_SQL_TIMEOUT_MS', timeoutMs, { min: 1, max: 600_000 }),
    memoryBytes: bytes('SHEAF_SQL_MEMORY_MB', memoryBytes, { min: 64, max: 65_536 }),
    maxRows: read.int('SHEAF_SQL_ROWS', maxRows, { min: 1 }),
    maxBytes: bytes('SHEAF_SQL_RESULT_MB', maxBytes, { min: 1, max: 1024 }),
  }
}
