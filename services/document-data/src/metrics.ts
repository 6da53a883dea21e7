import {
  Histogram,
  isMetering,
  Observed,
  secondsBounds,
  together,
} from '@sheaf/kit/telemetry/metrics'
import type { AppendedBatch } from '@sheaf/document-log/append-lane'
import type { Admission } from './admission'
import type { ChangePublisher } from './changes/publisher'
import { observeFormulas, type FormulaObservables } from './formula-metrics'
import type { Imports } from './import/imports'
import type { Presence } from './presence'
import type { StoreCall } from './replication/objects/reported-store'
import type { SqlPool } from './sql/sql-pool'
import type { DocumentStore } from './store/documents/document-store'
import type { CommittedGroup } from './store/sqlite/write-group'

/** Powers of two, up to the maximum number of writes per transaction. */
const writeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256]

const group = {
  writes: new Histogram(
    {
      name: 'sheaf.commit.writes',
      description: 'Writes to one document that shared a transaction and its fsync',
      unit: '{write}',
    },
    writeBounds,
  ),
  wait: new Histogram(
    {
      name: 'sheaf.commit.wait',
      description: 'Time that the first write of a transaction waited for its turn',
      unit: 's',
    },
    secondsBounds,
  ),
  apply: new Histogram(
    {
      name: 'sheaf.commit.apply',
      description:
        'Time of the work of all writes of a transaction, and of the formulas that depend on them',
      unit: 's',
    },
    secondsBounds,
  ),
  duration: new Histogram(
    {
      name: 'sheaf.commit.duration',
      description: 'Time until a transaction was on disk, when its writes had done their work',
      unit: 's',
    },
    secondsBounds,
  ),
}

const appends = {
  duration: new Histogram(
    {
      name: 'sheaf.log.append.duration',
      description: 'Time until PostgreSQL has stored records of the logs of documents durably',
      unit: 's',
    },
    secondsBounds,
  ),
  documents: new Histogram(
    {
      name: 'sheaf.log.append.documents',
      description: 'Documents whose records were appended in one statement',
      unit: '{document}',
    },
    writeBounds,
  ),
  records: new Histogram(
    {
      name: 'sheaf.log.append.records',
      description: 'Records that were appended in one statement',
      unit: '{record}',
    },
    writeBounds,
  ),
}

const storeCalls = new Histogram<'operation' | 'outcome'>(
  {
    name: 'sheaf.store.duration',
    description: 'Time of calls of the store of snapshots and attachments',
    unit: 's',
    labels: ['operation', 'outcome'],
  },
  secondsBounds,
)

const replication = {
  openings: new Histogram(
    {
      name: 'sheaf.document.opening.duration',
      description: 'Time to make a replicated document ready for use, with its file and its log',
      unit: 's',
    },
    secondsBounds,
  ),
  leaseFailures: new Observed('counter', {
    name: 'sheaf.home.lease.failures',
    description: 'Attempts of a replicated instance to renew its lease that failed',
    unit: '{attempt}',
  }),
  handOvers: new Observed('counter', {
    name: 'sheaf.home.hand_overs',
    description:
      'Documents that a replicated instance handed over to others, since they were moved or it is drained',
    unit: '{document}',
  }),
  removedFiles: new Observed('counter', {
    name: 'sheaf.home.removed_files',
    description:
      'Files of documents not in use that a replicated instance removed from its disk, which they exceeded',
    unit: '{file}',
  }),
  tail: new Observed('gauge', {
    name: 'sheaf.log.tail',
    description: 'Records after the latest snapshot of the document that has most of them',
    unit: '{record}',
  }),
  snapshotAge: new Observed('gauge', {
    name: 'sheaf.snapshot.age',
    description:
      'Time since the latest snapshot, or the opening, of the document with later records where that is longest ago',
    unit: 's',
  }),
}

const documents = {
  open: new Observed('gauge', {
    name: 'sheaf.documents.open',
    description: 'Documents whose files are open',
    unit: '{document}',
  }),
  uses: new Observed<'found'>('counter', {
    name: 'sheaf.documents.uses',
    description: 'Uses of a document, by whether its file was open or had to be opened',
    unit: '{use}',
    labels: ['found'],
  }),
  replies: new Observed<'found'>('counter', {
    name: 'sheaf.replies.reads',
    description: 'Small reads, by whether the reply was kept or had to be made',
    unit: '{read}',
    labels: ['found'],
  }),
  kept: new Observed<'cache'>('gauge', {
    name: 'sheaf.cache.size',
    description: 'What is kept in memory for all documents: replies, and log entries',
    unit: 'By',
    labels: ['cache'],
  }),
  backlog: new Observed('gauge', {
    name: 'sheaf.events.backlog',
    description: 'Documents with changes that NATS has not confirmed',
    unit: '{document}',
  }),
  published: new Observed('counter', {
    name: 'sheaf.events.published',
    description: 'Messages with changes that NATS has confirmed',
    unit: '{message}',
  }),
  disk: new Observed('gauge', {
    name: 'sheaf.disk.free',
    description: 'Room on the disk of documents',
    unit: 'By',
  }),
  calls: new Observed('gauge', {
    name: 'sheaf.calls.running',
    description: 'Reads and writes of documents that are waiting or under way',
    unit: '{call}',
  }),
}

const imports = {
  running: new Observed('gauge', {
    name: 'sheaf.imports.running',
    description: 'Imports and previews of files that run, each in a process',
    unit: '{import}',
  }),
  waiting: new Observed('gauge', {
    name: 'sheaf.imports.waiting',
    description: 'Imports and previews of files that wait for their turn',
    unit: '{import}',
  }),
}

const presence = {
  sessions: new Observed('gauge', {
    name: 'sheaf.presence.sessions',
    description: 'Sessions that are present in documents',
    unit: '{session}',
  }),
}

const statements = {
  busy: new Observed('gauge', {
    name: 'sheaf.sql.busy',
    description: 'Processes that run a SQL statement now',
    unit: '{process}',
  }),
  limit: new Observed('gauge', {
    name: 'sheaf.sql.limit',
    description: 'Processes that may run SQL statements at once',
    unit: '{process}',
  }),
  waiting: new Observed('gauge', {
    name: 'sheaf.sql.waiting',
    description: 'SQL statements that wait for a process',
    unit: '{statement}',
  }),
  ended: new Observed<'cause'>('counter', {
    name: 'sheaf.sql.killed',
    description: 'Processes for SQL that have ended, by cause: stopped, spent, memory or failure',
    unit: '{process}',
    labels: ['cause'],
  }),
}

/** Records the duration of a transaction; undefined while metrics are disabled. */
export const countGroup = isMetering()
  ? ({ writes, waitMs, applyMs, commitMs }: CommittedGroup): void => {
      group.writes.record(writes, {})
      group.wait.record(waitMs / 1_000, {})
      group.apply.record(applyMs / 1_000, {})
      group.duration.record(commitMs / 1_000, {})
    }
  : undefined

/** Records an append to the log database; undefined while metrics are disabled. */
export const countAppend = isMetering()
  ? (batch: AppendedBatch): void => {
      appends.duration.record(batch.durationMs / 1_000, {})
      appends.documents.record(batch.documents, {})
      appends.records.record(batch.records, {})
    }
  : undefined

/** Records a call of the store of snapshots and attachments. */
export function countStoreCall({ operation, seconds, error }: StoreCall): void {
  storeCalls.record(seconds, { operation, outcome: error === undefined ? 'ok' : 'failed' })
}

/** Records how long it took to make a document ready for use; undefined while metrics are disabled. */
export const countOpening = isMetering()
  ? (ms: number): void => replication.openings.record(ms / 1_000, {})
  : undefined

/** Sources of the metrics. */
export interface Observables {
  /** Undefined without replication. */
  readonly lease: { readonly failures: number } | undefined
  /** Undefined without replication. */
  readonly handOvers: { readonly handedOver: number } | undefined
  /** Undefined without replication. */
  readonly restingFiles: { readonly removed: number } | undefined
  readonly documents: Pick<
    DocumentStore,
    'openCount' | 'unfinishedColumns' | 'shared' | 'lifeCycle'
  >
  readonly formulas: FormulaObservables['formulas']
  readonly publisher: Pick<ChangePublisher, 'backlog' | 'published'>
  readonly sql: Pick<SqlPool, 'busy' | 'limit' | 'waitingCount' | 'ended'>
  readonly admission: Pick<Admission, 'running'>
  readonly imports: Pick<Imports, 'runningCount' | 'waitingCount'>
}

/** Exposes the current load as metrics until disposed of. */
export function observeService(ctx: Observables, present: Pick<Presence, 'size'>): Disposable {
  const { figures, replicator } = ctx.documents.shared
  return together([
    observeFormulas(ctx),
    documents.open.observe((report) => report(ctx.documents.openCount)),
    documents.uses.observe((report) => {
      report(figures.uses - figures.openings, { found: 'open' })
      report(figures.openings, { found: 'closed' })
    }),
    documents.replies.observe((report) => {
      report(figures.repliesKept, { found: 'kept' })
      report(figures.repliesMade, { found: 'none' })
    }),
    documents.kept.observe((report) => {
      report(figures.replyBytes, { cache: 'replies' })
      report(figures.entryBytes, { cache: 'entries' })
    }),
    documents.backlog.observe((report) => report(ctx.publisher.backlog)),
    documents.published.observe((report) => report(ctx.publisher.published)),
    replication.leaseFailures.observe((report) => report(ctx.lease?.failures ?? 0)),
    replication.handOvers.observe((report) => report(ctx.handOvers?.handedOver ?? 0)),
    replication.removedFiles.observe((report) => report(ctx.restingFiles?.removed ?? 0)),
    replication.tail.observe((report) => report(replicator?.tail.records ?? 0)),
    replication.snapshotAge.observe((report) => report(replicator?.tail.seconds ?? 0)),
    documents.disk.observe(async (report) => report(await ctx.documents.lifeCycle.freeBytes())),
    documents.calls.observe((report) => report(ctx.admission.running)),
    imports.running.observe((report) => report(ctx.imports.runningCount)),
    imports.waiting.observe((report) => report(ctx.imports.waitingCount)),
    presence.sessions.observe((report) => report(present.size)),
    statements.busy.observe((report) => report(ctx.sql.busy)),
    statements.limit.observe((report) => report(ctx.sql.limit)),
    statements.waiting.observe((report) => report(ctx.sql.waitingCount)),
    statements.ended.observe((report) => {
      for (const [cause, count] of Object.entries(ctx.sql.ended)) report(count, { cause })
    }),
  ])
}
