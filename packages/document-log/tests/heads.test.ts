import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import {
  deleteHead,
  findKept,
  forgetHead,
  listDeleted,
  listExpired,
  markCollected,
} from '../src/deleted-heads'
import {
  adoptHead,
  appendFormat,
  createHead,
  createLocalHead,
  discardHead,
  findPosition,
  findRecordTerm,
  FIRST_TERM,
  listLogged,
  openHead,
  readRecords,
  releaseHead,
} from '../src/heads'
import {
  createDocument,
  openAppender,
  openDocument,
  readLog,
  settled,
  startLog,
  textsOf,
  type TestLog,
  opener,
} from './test-log'

let log: TestLog

beforeAll(async () => {
  log = await startLog()
})

afterAll(() => log[Symbol.asyncDispose]())

const birth = [{ lsn: 1, body: Buffer.from('born') }]

describe('the log of a document', () => {
  it('begins once', async () => {
    const doc = await createDocument(log)
    await expect(
      createHead(log.db, { doc, instance: 'a', records: birth, format: 13 }),
    ).rejects.toMatchObject({
      code: 'conflict',
      reason: 'DOCUMENT_EXISTS',
    })
    expect(textsOf(await readLog(log, doc))).toEqual(['born'])
  })

  it('begins with a snapshot instead of records', async () => {
    const doc = randomUUID()
    const snapshot = { name: 'first', lsn: 7, term: 0 }
    await createHead(log.db, { doc, instance: 'a', records: [], format: 13, snapshot })
    expect(await openHead(log.db, doc, { ...opener, assigned: 0 })).toEqual({
      term: 1,
      lsn: 7,
      unpublished: true,
      pending: true,
      format: 13,
      local: false,
      snapshot,
    })
  })

  it('has a higher term with every opening', async () => {
    const doc = await createDocument(log)
    const terms = []
    for (let opening = 0; opening < 3; opening++)
      terms.push((await openHead(log.db, doc, { ...opener, assigned: 0 })).term)
    expect(terms).toEqual([1, 2, 3])
  })

  it('is not opened under an earlier assignment than the latest', async () => {
    const doc = await createDocument(log)
    await openHead(log.db, doc, { ...opener, assigned: 5 })
    await expect(openHead(log.db, doc, { ...opener, assigned: 4 })).rejects.toMatchObject({
      reason: 'DOCUMENT_MOVED',
    })
    expect((await openHead(log.db, doc, { ...opener, assigned: 5 })).term).toBe(2)
  })

  it('knows the term of each record', async () => {
    const doc = await createDocument(log)
    expect(await findRecordTerm(log.db, doc, 1)).toBe(FIRST_TERM)
    expect(await findRecordTerm(log.db, doc, 2)).toBeUndefined()
  })

  it('is read in steps of bounded size, each with a record at least', async () => {
    const doc = await createDocument(log)
    const { term } = await openDocument(log, doc)
    using appender = openAppender(log)
    const body = (lsn: number) => Buffer.alloc(5 * 1024 * 1024, lsn)
    for (const lsn of [2, 3])
      await appender.append({ doc, term, records: [{ lsn, body: body(lsn) }], ...settled })
    const records = await readLog(log, doc)
    expect(records.map(({ lsn }) => lsn)).toEqual([1, 2, 3])
    expect(records.map(({ body }) => body.length)).toEqual([4, body(2).length, body(3).length])
  })
})

/** All deleted documents of which something may be left after these days. */
async function expired(days: number): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const more = await listExpired(log.db, { days, after: found.at(-1), limit: 2 })
    if (more.length === 0) return found
    found.push(...more)
  }
}

/** The statements of the former release, which keeps no deleted documents. */
const former = {
  async listUncollected(): Promise<string[]> {
    const { rows } = await sql<{ doc: string }>`
      select doc from document_log.head where deleted and not collected limit 1000`.execute(log.db)
    return rows.map(({ doc }) => doc)
  },
  markCollected: (doc: string) =>
    sql`update document_log.head set collected = true where doc = ${doc}`.execute(log.db),
  async deleteHead(doc: string): Promise<void> {
    await sql`
      insert into document_log.head (doc, instance, lsn, unpublished, deleted) values (${doc}, '', 0, false, true)
      on conflict (doc) do update set deleted = true, term = head.term + 1,
        snapshot = null, snapshot_lsn = null, snapshot_term = null`.execute(log.db)
    await sql`delete from document_log.record where doc = ${doc}`.execute(log.db)
  },
}

describe('a deleted document that is kept', () => {
  it('accepts no records and no opening, and has its log and its snapshot', async () => {
    const doc = randomUUID()
    const snapshot = { name: 'first', lsn: 7, term: 0 }
    await createHead(log.db, { doc, instance: 'a', records: [], snapshot, format: 13 })
    const { group } = await openDocument(log, doc)
    using appender = openAppender(log)
    await appender.append(group(7, 'eight'))
    expect(await findKept(log.db, doc)).toBeUndefined()
    await deleteHead(log.db, doc, true)
    await expect(appender.append(group(8, 'late'))).rejects.toMatchObject({ outcome: 'fenced' })
    const opening = openHead(log.db, doc, { ...opener, assigned: 0 })
    await expect(opening).rejects.toMatchObject({ reason: 'DOCUMENT_DELETED' })
    expect(await findKept(log.db, doc)).toEqual({ lsn: 8, snapshot })
    expect(textsOf(await readLog(log, doc))).toEqual(['eight'])
  })

  it('is kept from its first deletion on', async () => {
    const doc = await createDocument(log)
    await deleteHead(log.db, doc, true)
    const long = sql`now() - interval '40 days'`
    await sql`update document_log.head set deleted_at = ${long} where doc = ${doc}`.execute(log.db)
    await deleteHead(log.db, doc, true)
    expect(await expired(41)).not.toContain(doc)
    expect(await expired(40)).toContain(doc)
  })

  it('is not listed as expired once nothing of it is left, and none is listed twice', async () => {
    const docs = [await createDocument(log), await createDocument(log), await createDocument(log)]
    for (const doc of docs) await deleteHead(log.db, doc, true)
    expect(await expired(1)).not.toContain(docs[0])
    const found = await expired(0)
    expect(found).toEqual([...new Set(found)])
    expect(found).toEqual(expect.arrayContaining(docs))
    for (const doc of docs) {
      await forgetHead(log.db, doc)
      expect(await findKept(log.db, doc)).toBeUndefined()
      expect(await readLog(log, doc)).toEqual([])
      // What the store has of it may still be there.
      expect(await expired(1)).toContain(doc)
      await markCollected(log.db, doc)
    }
    expect(await expired(0)).not.toEqual(expect.arrayContaining([docs[0]]))
  })

  it('is left alone by instances of the former release, which collect it once it is not kept any more', async () => {
    const doc = await createDocument(log)
    await deleteHead(log.db, doc, true)
    expect(await former.listUncollected()).not.toContain(doc)
    expect(await findKept(log.db, doc)).toMatchObject({ lsn: 1 })
    await forgetHead(log.db, doc)
    expect(await former.listUncollected()).toContain(doc)
    await former.markCollected(doc)
    expect(await expired(0)).not.toContain(doc)
    expect(await readLog(log, doc)).toEqual([])
  })

  it('is not kept any more once an instance of the former release has deleted it, too', async () => {
    const doc = await createDocument(log)
    await deleteHead(log.db, doc, true)
    await former.deleteHead(doc)
    expect(await findKept(log.db, doc)).toBeUndefined()
    // What the store has of it is removed in any case.
    expect(await expired(1)).not.toContain(doc)
    expect(await expired(0)).toContain(doc)
    const other = await createDocument(log)
    await former.deleteHead(other)
    expect(await expired(1)).toContain(other)
    await deleteHead(log.db, other, true)
    expect(await expired(1)).toContain(other)
  })

  it('is not one that was never created', async () => {
    const doc = randomUUID()
    await deleteHead(log.db, doc, true)
    expect(await findKept(log.db, doc)).toBeUndefined()
  })
})

describe('a deleted document', () => {
  it('accepts no records, no opening and no second creation', async () => {
    const doc = await createDocument(log)
    const { group } = await openDocument(log, doc)
    await deleteHead(log.db, doc, false)
    using appender = openAppender(log)
    await expect(appender.append(group(1, 'late'))).rejects.toMatchObject({ outcome: 'fenced' })
    const gone = { code: 'precondition', reason: 'DOCUMENT_DELETED' }
    await expect(openHead(log.db, doc, { ...opener, assigned: 0 })).rejects.toMatchObject(gone)
    await expect(
      createHead(log.db, { doc, instance: 'a', records: birth, format: 13 }),
    ).rejects.toMatchObject(gone)
    expect(await readLog(log, doc)).toEqual([])
  })

  it('stays deleted when it is discarded, or was never created', async () => {
    const doc = randomUUID()
    await deleteHead(log.db, doc, false)
    await discardHead(log.db, doc)
    await expect(
      createHead(log.db, { doc, instance: 'a', records: birth, format: 13 }),
    ).rejects.toMatchObject({
      reason: 'DOCUMENT_DELETED',
    })
  })
})

it('a discarded document leaves nothing', async () => {
  const doc = await createDocument(log)
  await discardHead(log.db, doc)
  expect(await readLog(log, doc)).toEqual([])
  await expect(openHead(log.db, doc, { ...opener, assigned: 0 })).rejects.toMatchObject({
    reason: 'DOCUMENT_NOT_FOUND',
  })
  await createHead(log.db, { doc, instance: 'a', records: birth, format: 13 })
})

describe('the format of a document', () => {
  const at = (format: number) => ({ lsn: 2, body: Buffer.from('migrated'), format })
  const open = (doc: string, min: number, max: number) =>
    openHead(log.db, doc, { instance: 'a', assigned: 0, formats: { min, max } })

  it('changes with a record, by its present opening alone', async () => {
    const doc = await createDocument(log)
    await open(doc, 13, 14)
    expect(await appendFormat(log.db, { doc, term: 0 }, at(14))).toBe(false)
    expect(await appendFormat(log.db, { doc, term: 1 }, { ...at(14), lsn: 3 })).toBe(false)
    expect(textsOf(await readLog(log, doc))).toEqual(['born'])
    expect(await appendFormat(log.db, { doc, term: 1 }, at(14))).toBe(true)
    expect(textsOf(await readLog(log, doc))).toEqual(['born', 'migrated'])
    expect(await open(doc, 13, 14)).toMatchObject({ lsn: 2, term: 2, format: 14 })
  })

  it('keeps it from being opened by an instance that cannot use it, which changes nothing', async () => {
    const doc = await createDocument(log)
    await open(doc, 13, 14)
    await appendFormat(log.db, { doc, term: 1 }, at(14))
    for (const [min, max] of [
      [13, 13],
      [15, 16],
    ] as const)
      await expect(open(doc, min, max)).rejects.toMatchObject({
        code: 'unavailable',
        reason: 'DOCUMENT_FORMAT_UNREADABLE',
        metadata: { retryAfterMs: '1000', format: '14' },
      })
    expect((await open(doc, 14, 15)).term).toBe(2)
  })

  it('does not matter while it was never recorded', async () => {
    const doc = await createDocument(log)
    await log.db.updateTable('head').set({ format: 0 }).where('doc', '=', doc).execute()
    expect(await open(doc, 20, 21)).toMatchObject({ format: 0 })
  })
})

describe('a document on the disk of its instance alone', () => {
  const opener = { instance: 'a', assigned: 0, formats: { min: 1, max: 13 } }
  const snapshot = { name: 'adopted', lsn: 7, term: FIRST_TERM }

  it('has terms and no log until it is adopted', async () => {
    const doc = randomUUID()
    await createLocalHead(log.db, doc, opener)
    expect(await openHead(log.db, doc, opener)).toMatchObject({ term: 1, local: true })
    expect(await findPosition(log.db, doc)).toBeUndefined()
    expect(await listLogged(log.db, [doc])).toEqual([])
    expect(await adoptHead(log.db, { doc, term: 1, format: 13 }, snapshot)).toBe(true)
    expect(await findPosition(log.db, doc)).toBe(7)
    expect(await listLogged(log.db, [doc, randomUUID()])).toEqual([doc])
    expect(await openHead(log.db, doc, opener)).toMatchObject({ term: 2, local: false, snapshot })
    // Nothing that was begun before takes it back.
    await createLocalHead(log.db, doc, opener)
    expect(await openHead(log.db, doc, opener)).toMatchObject({ term: 3, local: false })
    expect(await adoptHead(log.db, { doc, term: 3, format: 13 }, snapshot)).toBe(false)
  })

  it('is not adopted with what an earlier opening has stored', async () => {
    const doc = randomUUID()
    await createLocalHead(log.db, doc, opener)
    const { term } = await openHead(log.db, doc, opener)
    await openHead(log.db, doc, opener)
    expect(await adoptHead(log.db, { doc, term, format: 13 }, snapshot)).toBe(false)
    expect(await openHead(log.db, doc, opener)).toMatchObject({ local: true })
  })

  it('stays deleted', async () => {
    const doc = randomUUID()
    await createLocalHead(log.db, doc, opener)
    const { term } = await openHead(log.db, doc, opener)
    expect(await deleteHead(log.db, doc, true)).toBe(0)
    expect(await adoptHead(log.db, { doc, term: term + 1, format: 13 }, snapshot)).toBe(false)
    const adopted = await createDocument(log)
    expect(await deleteHead(log.db, adopted, true)).toBe(1)
    expect(await listDeleted(log.db, [doc, randomUUID()])).toEqual([{ doc, isKept: true, lsn: 0 }])
    expect(await listLogged(log.db, [doc, adopted])).toEqual([])
    await forgetHead(log.db, adopted)
    expect(await listDeleted(log.db, [adopted])).toEqual([{ doc: adopted, isKept: false, lsn: 1 }])
  })
})

describe('a document whose log ends', () => {
  const opener = { instance: 'a', assigned: 0, formats: { min: 1, max: 13 } }

  it('is on the disk of the instance that has opened it alone, and is opened by no other one', async () => {
    const doc = await createDocument(log)
    const { term, lsn } = await openHead(log.db, doc, opener)
    expect(await releaseHead(log.db, { doc, term, lsn })).toBe(true)
    expect(await readRecords(log.db, doc, 0)).toEqual([])
    expect(await listLogged(log.db, [doc])).toEqual([])
    await expect(openHead(log.db, doc, { ...opener, instance: 'b' })).rejects.toMatchObject({
      code: 'unavailable',
      metadata: { localHome: 'a', term: String(term + 1) },
    })
    expect(await openHead(log.db, doc, opener)).toMatchObject({ term: term + 2, local: true })
    expect(await releaseHead(log.db, { doc, term: term + 2, lsn: 0 })).toBe(false)
  })

  it('goes on when a later opening has raised the term, or the log has a later record', async () => {
    const doc = await createDocument(log)
    const { term, lsn } = await openHead(log.db, doc, opener)
    expect(await releaseHead(log.db, { doc, term, lsn: lsn - 1 })).toBe(false)
    await openHead(log.db, doc, opener)
    expect(await releaseHead(log.db, { doc, term, lsn })).toBe(false)
    expect(await openHead(log.db, doc, opener)).toMatchObject({ lsn, local: false })
  })

  it('is not one that was deleted', async () => {
    const doc = await createDocument(log)
    const { term, lsn } = await openHead(log.db, doc, opener)
    await deleteHead(log.db, doc, true)
    expect(await releaseHead(log.db, { doc, term: term + 1, lsn })).toBe(false)
  })
})
