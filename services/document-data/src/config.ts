import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'
import type { AdmissionLimits } from './admission'
import type { FormulaLimits } from './formulas/formula-limits'
import type { ReplicationSettings } from './open-replication'
import type { StoreSettings } from './replication/objects/open-objects'
import type { S3Settings } from './replication/objects/s3-store'
import type { SqlLimits } from './sql/sql-pool'
import type { AttachmentLimits } from './store/attachments/staged-files'

const MIB = 1024 * 1024
/** Names of buckets, and prefixes of objects that need no encoding in URLs. */
const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/
const PREFIX = /^[\w!.*'()-]+(?:\/[\w!.*'()-]+)*\/?$/

/** Settings of the document-data service. */
export interface DocumentDataConfig {
  /** `host:port` to listen on; port 0 selects a free port. */
  readonly listen: string
  /** `host:port` at which other services reach this one; defaults to the listening address. */
  readonly address?: string
  /** Name of this instance, under which directory places documents on it; must be stable across restarts. */
  readonly home: string
  /** Data folder; documents are stored in its subfolder `documents`. */
  readonly dataFolder: string
  /** `host:port` of directory. */
  readonly directoryAddress: string
  /** Secret shared by the processes of one Sheaf. */
  readonly serviceKey: string
  /** TLS certificates for calls between services; plain text if absent. */
  readonly tls?: TlsFiles
  /** Additional `host:port` that serves health checks in plain text. */
  readonly healthListen?: string
  /** `nats://user:password@host:port`. */
  readonly natsUrl: string
  /**
   * Maximum number of open documents; each takes three file descriptors and at least some 100 KB of memory.
   */
  readonly maxOpenDocuments: number
  /** Idle time in seconds after which a document is closed. */
  readonly idleSeconds: number
  /** Maximum duration of a streamed read, in seconds. */
  readonly maxReadSeconds: number
  /**
   * Threads for long reads and index builds; with 0, all reads run on the event loop and no index is built.
   */
  readonly workers: number
  /** Maximum number of automatic indexes per table. */
  readonly maxIndexes: number
  /** Bytes of the files of former moments of documents that are kept. */
  readonly pastBytes: number
  /** Days for which documents that were deleted for good are kept, so that they can be made again; 0 for not at all. */
  readonly keptDays: number
  /** Maximum size of an imported file, in bytes. */
  readonly maxImportBytes: number
  /** Maximum duration of an import, in seconds. */
  readonly maxImportSeconds: number
  /** Days for which NATS retains changes. */
  readonly changesDays: number
  /** Size up to which NATS retains changes, in MiB. */
  readonly changesMegabytes: number
  /** Number of NATS servers that hold the changes. */
  readonly changesReplicas: number
  /** Limits of admission control; calls beyond them are rejected. */
  readonly limits: AdmissionLimits
  /** Limits of SQL from callers. */
  readonly sql: SqlLimits
  /** Limits of formulas in Python. */
  readonly formulas: FormulaLimits
  /** Size limits of attachments. */
  readonly attachments: AttachmentLimits
  /** Where documents are kept besides the files of this instance; absent when these are all there is. */
  readonly replication?: ReplicationSettings
}

/** Default limits of admission control. */
export const defaultLimits: AdmissionLimits = {
  writes: 8000,
  writeBytes: 384 * MIB,
  reads: 400,
  delayMs: 500,
}

/** Default limits of SQL. */
export const defaultSqlLimits: SqlLimits = {
  processes: 2,
  waiting: 200,
  timeoutMs: 1000,
  memoryBytes: 256 * MIB,
  maxRows: 1_000_000,
  maxBytes: 32 * MIB,
}

/** Default limits of formulas in Python. */
export const defaultFormulaLimits: FormulaLimits = {
  cacheFolder: '.cache',
  evaluators: 4,
  memoryBytes: 512 * MIB,
  computeMs: 5000,
  writeCells: 10_000,
  compiles: true,
}

/** Default limits of attachments. */
export const defaultAttachments: AttachmentLimits = {
  fileBytes: 100 * MIB,
  documentBytes: 1024 * MIB,
}

/**
 * Reads the settings. Throws ConfigError listing every fault. Calls `warn` with a message for each deprecated
 * name.
 */
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
    pastBytes: read.int('SHEAF_PAST_MB', 1024, { min: 0, max: 1024 ** 3 }) * MIB,
    keptDays: read.int('SHEAF_KEEP_DELETED_DAYS', 30, { min: 0, max: 36_500 }),
    maxImportBytes: read.int('SHEAF_MAX_IMPORT_MB', 256, { min: 1, max: 4096 }) * MIB,
    maxImportSeconds: read.int('SHEAF_IMPORT_SECONDS', 300, { min: 1, max: 3600 }),
    changesDays: read.int('SHEAF_CHANGES_DAYS', 7, { min: 1, max: 3650 }),
    changesMegabytes: read.int('SHEAF_CHANGES_MB', 1024, { min: 1 }),
    changesReplicas: read.int('SHEAF_CHANGES_REPLICAS', 1, { min: 1, max: 5 }),
    sql: readSqlLimits(read),
    formulas: readFormulaLimits(read),
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
    replication: readReplication(read),
  })
}

function readReplication(read: EnvReader): ReplicationSettings | undefined {
  const isReplicated = read.bool('SHEAF_REPLICATED', false)
  const logDatabaseUrl = read.optionalSecret('SHEAF_LOG_DATABASE_URL')
  const store = readStoreSettings(read, isReplicated)
  const balanceSeconds = read.int('SHEAF_BALANCE_SECONDS', 10, { min: 0, max: 3600 })
  const diskBytes = read.int('SHEAF_DOCUMENTS_MB', 0, { min: 0, max: 1024 ** 3 }) * MIB
  if (!isReplicated) return undefined
  return {
    // Read only where it is needed: without replication this service is not given it.
    logDatabaseUrl: logDatabaseUrl ?? read.secret('DATABASE_URL'),
    store,
    balanceSeconds,
    diskBytes,
  }
}

/** Reads the settings of the store; without a bucket, a folder is required if `isNeeded`. */
function readStoreSettings(read: EnvReader, isNeeded: boolean): StoreSettings {
  const folder = read.optional('SHEAF_STORE_FOLDER')
  const s3 = readS3Settings(read)
  if (s3) return { s3 }
  return { folder: folder ?? (isNeeded ? read.str('SHEAF_STORE_FOLDER') : '') }
}

function readS3Settings(read: EnvReader): S3Settings | undefined {
  const bucket = read.optional('SHEAF_S3_BUCKET')
  const prefix = read.optional('SHEAF_S3_PREFIX') ?? ''
  const region = read.str('SHEAF_S3_REGION', 'us-east-1')
  const endpoint = read.optionalUrl('SHEAF_S3_ENDPOINT', ['http', 'https'])
  const accessKeyId = read.optional('SHEAF_S3_ACCESS_KEY_ID')
  const secretAccessKey = read.optionalSecret('SHEAF_S3_SECRET_ACCESS_KEY')
  if (bucket === undefined) return undefined
  if (!BUCKET.test(bucket)) read.reject('SHEAF_S3_BUCKET is not the name of a bucket')
  if (prefix !== '' && !PREFIX.test(prefix))
    read.reject("SHEAF_S3_PREFIX may have letters, digits, / and _!.*'()- only")
  const hasId = accessKeyId !== undefined
  const hasSecret = secretAccessKey !== undefined
  if (hasId !== hasSecret)
    read.reject('SHEAF_S3_ACCESS_KEY_ID and SHEAF_S3_SECRET_ACCESS_KEY are only valid together')
  return {
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    region,
    endpoint,
    ...(hasId && hasSecret && { credentials: { accessKeyId, secretAccessKey } }),
  }
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

function readFormulaLimits(read: EnvReader): FormulaLimits {
  const { cacheFolder, evaluators, memoryBytes, computeMs, writeCells, compiles } =
    defaultFormulaLimits
  return {
    cacheFolder: read.str('SHEAF_CACHE', cacheFolder),
    evaluators: read.int('SHEAF_FORMULA_EVALUATORS', evaluators, { min: 1, max: 64 }),
    memoryBytes:
      read.int('SHEAF_FORMULA_MEMORY_MB', memoryBytes / MIB, { min: 256, max: 4096 }) * MIB,
    computeMs: read.int('SHEAF_FORMULA_MS', computeMs, { min: 100, max: 25_000 }),
    writeCells: read.int('SHEAF_FORMULA_CELLS', writeCells, { min: 1, max: 10_000_000 }),
    compiles: read.bool('SHEAF_FORMULA_COMPILER', compiles),
  }
}
