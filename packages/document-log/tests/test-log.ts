import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { createLogger } from '@sheaf/kit/logger'
import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import { createTestDatabase } from '@sheaf/testkit/engines'
import type { RecordGroup } from '../src/append-statement'
import { createHead, openHead, readRecords, type LoggedRecord } from '../src/heads'
import { migrations } from '../src/migrations/index'
import { RecordAppender, type AppenderOptions } from '../src/record-appender'
import { LOG_SCHEMA, type LogTables } from '../src/schema'

/** The log in a database of its own. */
export interface TestLog extends AsyncDisposable {
  readonly url: string
  readonly db: Kysely<LogTables>
}

export async function startLog(): Promise<TestLog> {
  const database = await createTestDatabase()
  const log = createLogger('test')
  const db = openDatabase<LogTables>({ url: database.url, schema: LOG_SCHEMA, log })
  await migrate(db, LOG_SCHEMA, migrations)
  return {
    url: database.url,
    db,
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** An instance that can use the format of the documents of these tests. */
export const opener = { instance: 'a', formats: { min: 13, max: 14 } }

/** Marks of a document that nothing is left to be done for. */
export const settled = { unpublished: false, pending: false }

/** Milliseconds within which appends are answered, also on a busy machine. */
const PATIENT_MS = 30_000

/** An appender that waits for its answers as long as a busy machine takes, unless the options say otherwise. */
export function openAppender(
  { url }: { readonly url: string },
  options: Partial<AppenderOptions> = {},
): RecordAppender {
  return new RecordAppender({ url, changed: () => {}, answerMs: PATIENT_MS, ...options })
}

/** A document with one record, which has the first term. */
export async function createDocument({ db }: TestLog): Promise<string> {
  const doc = randomUUID()
  await createHead(db, {
    doc,
    instance: 'a',
    records: [{ lsn: 1, body: Buffer.from('born') }],
    format: 13,
  })
  return doc
}

/** An opening of a document; `group` makes records behind a position. */
interface OpenedDocument {
  readonly term: number
  readonly lsn: number
  readonly group: (after: number, ...texts: string[]) => RecordGroup
}

/** Opens a document; returns what makes its groups of records. */
export async function openDocument(
  { db }: TestLog,
  doc: string,
  assigned = 0,
): Promise<OpenedDocument> {
  const { term, lsn } = await openHead(db, doc, { ...opener, assigned })
  return {
    term,
    lsn,
    group: (after: number, ...texts: string[]) => groupOf({ doc, term }, after, texts),
  }
}

function groupOf(
  { doc, term }: { doc: string; term: number },
  after: number,
  texts: readonly string[],
): RecordGroup {
  const records = texts.map((text, index) => ({ lsn: after + 1 + index, body: Buffer.from(text) }))
  return { doc, term, records, unpublished: true, pending: false }
}

/** The whole log of a document. */
export async function readLog({ db }: TestLog, doc: string): Promise<LoggedRecord[]> {
  const records: LoggedRecord[] = []
  for (;;) {
    const more = await readRecords(db, doc, records.at(-1)?.lsn ?? 0)
    if (more.length === 0) return records
    records.push(...more)
  }
}

export const textsOf = (records: readonly LoggedRecord[]): string[] =>
  records.map(({ body }) => Buffer.from(body).toString())
