import { join } from 'node:path'
import { LogDatabase, type LogDatabaseOptions } from '@sheaf/document-log/log-database'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { CompiledQuery } from 'kysely'
import type { FoundUnusable, HomeAssignment, HomeLease } from '../../src/replication/home-lease'
import { FolderStore } from '../../src/replication/objects/folder-store'
import type { ObjectStore } from '../../src/replication/objects/object-store'
import { ReplicatedDocuments } from '../../src/replication/replicated-documents'
import { ReportedStore } from '../../src/replication/objects/reported-store'
import type { SnapshotParts } from '../../src/replication/snapshot-jobs'
import { StoredFiles } from '../../src/replication/objects/stored-files'
import type { DocumentStore, DocumentStoreOptions } from '../../src/store/documents/document-store'
import { newestVersion } from '../../src/store/sqlite/migrations/index'
import { compareDocuments } from '../../src/store/redo/compare-documents'
import { localState } from '../../src/store/redo/local-state'
import { openStore } from './test-store'

/** Milliseconds within which writes are answered: less than a write may take, but enough for a busy machine. */
const PATIENT_MS = 20_000

/** A log database and a folder for snapshots, which several instances share. */
export interface Cluster extends AsyncDisposable {
  /** URL of the log database. */
  readonly url: string
  readonly folder: string
  /** Folder of an instance with this name. */
  dataOf(instance: string): string
  /**
   * Opens the store of an instance; `url` may lead to the log database by way of a proxy. The lease lasts for ever, and
   * every document is assigned to whoever asks, unless another lease is given.
   */
  open(
    instance: string,
    options?: Partial<DocumentStoreOptions> &
      Pick<SnapshotParts, 'snapshotTimes'> &
      Partial<Pick<LogDatabaseOptions, 'url' | 'answerMs'>> & { readonly lease?: HomeLease },
  ): Promise<DocumentStore>
  /** Runs a statement in the log database. */
  query(statement: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

/** A lease that the test grants and ends, and the assignments of directory. */
export class TestLease implements HomeLease {
  period = 1
  /** The newest format that all instances can read. */
  writeFormat = newestVersion
  /** Whether directory assigns documents to no other instance. */
  pinned = true
  /** Documents that this instance could not read, with their formats, … */
  readonly unreadable = new Map<string, number>()
  /** … and those that it has found to be on the disk of another instance. */
  readonly elsewhere = new Map<string, string>()
  private held = true
  private ended = () => {}

  constructor(
    private readonly instance: string,
    /** Of documents that are not assigned here with number 0. */
    private readonly assignments = new Map<string, Pick<HomeAssignment, 'home' | 'assignment'>>(),
  ) {}

  isHeld(): boolean {
    return this.held
  }

  end(): void {
    this.held = false
    this.ended()
  }

  grant(): void {
    this.held = true
    this.period++
  }

  assign(
    docId: string,
    { unreadableFormat, localHome }: FoundUnusable = {},
  ): Promise<HomeAssignment> {
    if (unreadableFormat !== undefined) this.unreadable.set(docId, unreadableFormat)
    if (localHome !== undefined) this.elsewhere.set(docId, localHome)
    const assigned = this.assignments.get(docId) ?? { home: this.instance, assignment: 0 }
    const { writeFormat, pinned } = this
    return Promise.resolve({ ...assigned, writeFormat, pinned })
  }

  find(docId: string): Promise<HomeAssignment> {
    return this.assign(docId)
  }

  onEnded(ended: () => void): void {
    this.ended = ended
  }
}

/** @param objects instead of a folder */
export async function startCluster(objects?: ObjectStore): Promise<Cluster> {
  const folder = await tempDir()
  const store = objects ?? new FolderStore(join(folder.path, 'store'))
  const database = await createTestDatabase()
  const own = new LogDatabase({ url: database.url, log: createLogger('test') })
  const dataOf = (instance: string) => join(folder.path, instance)
  return {
    url: database.url,
    folder: folder.path,
    dataOf,
    open: (
      instance,
      {
        url = database.url,
        answerMs = PATIENT_MS,
        lease = new TestLease(instance),
        snapshotTimes,
        ...options
      } = {},
    ) =>
      openStore(dataOf(instance), {
        workers: 0,
        replicate: (host) => {
          const log = createLogger('test')
          const stored = new StoredFiles(new ReportedStore(store, () => {}))
          return new ReplicatedDocuments(
            {
              log,
              database: new LogDatabase({ url, log, answerMs }),
              stored,
              instance,
              lease,
              snapshotTimes,
            },
            host,
          )
        },
        ...options,
      }),
    async query(statement, values) {
      const query = CompiledQuery.raw(statement, values)
      const { rows } = await (await own.tables()).executeQuery<Record<string, unknown>>(query)
      return rows
    },
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const REDONE = ['_sheaf_replies']
const notRedone = Object.fromEntries(
  Object.entries(localState).filter(([table]) => !REDONE.includes(table)),
)

/** What differs between a document on two instances, in words; `_sheaf_state` is compared but for the term. */
export async function differences(
  one: DocumentStore,
  other: DocumentStore,
  docId: string,
): Promise<string[]> {
  await other.prepare(docId)
  return one.read<string[]>(docId, (a) =>
    other.read<string[]>(docId, (b) => {
      const state = 'SELECT epoch, published_seq, batch_seq, lsn, time FROM _sheaf_state'
      const states = [a, b].map(({ connection }) => JSON.stringify(connection.prepare(state).get()))
      const isSame = states[0] === states[1]
      const found = compareDocuments(a.connection, b.connection, notRedone)
      return [...found, ...(isSame ? [] : [`the states differ: ${states.join(' ')}`])]
    }),
  )
}
