import { sql } from 'kysely'
import { AppendError } from '../src/append-error'
import { FIRST_TERM, listUnfinished } from '../src/heads'
import type { RecordAppender } from '../src/record-appender'
import {
  createDocument,
  openAppender,
  openDocument,
  readLog,
  settled,
  startLog,
  textsOf,
  type TestLog,
} from './test-log'

let log: TestLog
let appender: RecordAppender
const batches: { documents: number; records: number }[] = []

beforeAll(async () => {
  log = await startLog()
  const observe = (batch: (typeof batches)[number]) => batches.push(batch)
  appender = openAppender(log, { observe })
})

afterAll(async () => {
  appender[Symbol.dispose]()
  await log[Symbol.asyncDispose]()
})

const outcomeOf = (appending: Promise<void>) =>
  appending.then(
    () => 'appended',
    (error: unknown) => (error instanceof AppendError ? error.outcome : error),
  )

describe('append', () => {
  it('adds records behind the latest one', async () => {
    const doc = await createDocument(log)
    const { term, group } = await openDocument(log, doc)
    await appender.append(group(1, 'a', 'b'))
    await appender.append(group(3, 'c'))
    const records = await readLog(log, doc)
    expect(textsOf(records)).toEqual(['born', 'a', 'b', 'c'])
    expect(records.map(({ lsn }) => lsn)).toEqual([1, 2, 3, 4])
    expect(records.map((record) => record.term)).toEqual([FIRST_TERM, term, term, term])
  })

  it('keeps the bytes of a record', async () => {
    const doc = await createDocument(log)
    const { term } = await openDocument(log, doc)
    const body = Buffer.from(Array.from({ length: 400_000 }, (_, index) => index % 256))
    const small = { lsn: 3, body: Buffer.alloc(0) }
    await appender.append({ doc, term, records: [{ lsn: 2, body }, small], ...settled })
    const [, large, empty] = await readLog(log, doc)
    expect(large && Buffer.compare(Buffer.from(large.body), body)).toBe(0)
    expect(empty?.body).toHaveLength(0)
  })

  it('takes the groups of many documents in few statements', async () => {
    const docs = await Promise.all(Array.from({ length: 64 }, () => createDocument(log)))
    const opened = await Promise.all(docs.map((doc) => openDocument(log, doc)))
    batches.length = 0
    await Promise.all(opened.map(({ group }) => appender.append(group(1, 'x'))))
    expect(batches.reduce((sum, { documents }) => sum + documents, 0)).toBe(64)
    expect(batches.length).toBeLessThan(16)
    for (const doc of docs) expect(textsOf(await readLog(log, doc))).toEqual(['born', 'x'])
  })

  it('fences an earlier opening, and only its document', async () => {
    const [doc, other] = [await createDocument(log), await createDocument(log)]
    const [before, beside] = [await openDocument(log, doc), await openDocument(log, other)]
    const after = await openDocument(log, doc)
    const outcomes = await Promise.all([
      outcomeOf(appender.append(before.group(1, 'old'))),
      outcomeOf(appender.append(beside.group(1, 'other'))),
    ])
    expect(outcomes).toEqual(['fenced', 'appended'])
    await appender.append(after.group(1, 'new'))
    expect(textsOf(await readLog(log, doc))).toEqual(['born', 'new'])
  })

  it('accepts only what follows the latest record', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    await appender.append(group(1, 'a'))
    expect(await outcomeOf(appender.append(group(1, 'again')))).toBe('fenced')
    expect(await outcomeOf(appender.append(group(5, 'gap')))).toBe('fenced')
    expect(textsOf(await readLog(log, doc))).toEqual(['born', 'a'])
  })

  it('does not wait for a document whose row is held, in a batch with others', async () => {
    const docs = await Promise.all(Array.from({ length: 16 }, () => createDocument(log)))
    const opened = await Promise.all(docs.map((doc) => openDocument(log, doc)))
    const trx = await log.db.startTransaction().execute()
    try {
      await sql`select 1 from head where doc = ${docs[0]} for update`.execute(trx)
      const outcomes = await Promise.all(
        opened.map(({ group }) => outcomeOf(appender.append(group(1, 'x')))),
      )
      expect(outcomes).toEqual(['refused', ...Array<string>(15).fill('appended')])
    } finally {
      await trx.rollback().execute()
    }
  })

  it('marks documents with entries that are not published, and with cells that are not computed', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    const unfinished = async () =>
      (await listUnfinished(log.db, ['a'])).find(({ docId }) => docId === doc)
    await appender.append({ ...group(1, 'a'), pending: true })
    expect(await unfinished()).toEqual({ docId: doc, unpublished: true, pending: true })
    await appender.append({ ...group(2, 'marks'), unpublished: false, pending: true })
    expect(await unfinished()).toEqual({ docId: doc, unpublished: false, pending: true })
    await appender.append({ ...group(3, 'cells'), ...settled })
    expect(await unfinished()).toBeUndefined()
  })

  it('makes commits durable although the database has another default', async () => {
    const name = new URL(log.url).pathname.slice(1)
    await sql`alter database ${sql.id(name)} set synchronous_commit = off`.execute(log.db)
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    await sql`create table seen (mode text)`.execute(log.db)
    await sql`
      create function note_mode() returns trigger language plpgsql as
        $$ begin insert into seen values (current_setting('synchronous_commit')); return new; end $$`.execute(
      log.db,
    )
    await sql`
      create trigger note_mode before insert on record for each row execute function note_mode()`.execute(
      log.db,
    )
    const fresh = openAppender(log)
    try {
      await fresh.append(group(1, 'a'))
    } finally {
      fresh[Symbol.dispose]()
      await sql`drop trigger note_mode on record`.execute(log.db)
    }
    const { rows } = await sql`select mode from seen`.execute(log.db)
    expect(rows).toEqual([{ mode: 'on' }])
  })
})
