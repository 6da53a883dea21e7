import { randomUUID } from 'node:crypto'
import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TestInstance } from '../support/test-instance'

describe('documents', () => {
  let instance: TestInstance
  beforeAll(async () => {
    instance = await TestInstance.start({ maxOpenDocuments: 3 })
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const fileOf = (docId: string) =>
    join(instance.folder.path, 'documents', docId.slice(0, 2), docId, 'document.sqlite')

  it('makes a document with one table of three empty columns', async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    const call = await clients.as(docId, 'viewers')
    const { tables, seq } = await clients.tables.listTables({ docId, withColumns: true }, call)
    expect(seq).toBe(1)
    expect(tables.map(({ id, tableRef }) => [id, tableRef])).toEqual([['Table1', 1]])
    expect(tables[0]?.columns).toMatchObject(
      ['A', 'B', 'C'].map((id, i) => ({
        id,
        colRef: i + 2,
        fields: { type: 'Any', isFormula: true, formula: '', label: id },
      })),
    )
    expect(await clients.read(docId, 'Table1')).toEqual([])
  })

  it('keeps time zone and locale, and refuses unknown ones', async () => {
    const { clients } = instance
    const docId = randomUUID()
    const call = await clients.as(docId, 'owners')
    const make = (timezone: string, locale: string) =>
      clients.documents.createDocument({ docId, timezone, locale }, call)
    await expect(make('Mars/Olympus', '')).rejects.toMatchObject({ reason: 'BAD_TIMEZONE' })
    await expect(make('', 'not a tag')).rejects.toMatchObject({ reason: 'BAD_LOCALE' })
    await make('Europe/Berlin', 'de-DE')
    const [info] = await clients.read(docId, '_grist_DocInfo')
    expect(info?.fields).toMatchObject({
      timezone: 'Europe/Berlin',
      documentSettings: '{"locale":"de-DE"}',
      schemaVersion: 46,
    })
  })

  it('refuses to make a document twice, also at the same moment', async () => {
    const { clients } = instance
    const docId = randomUUID()
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => clients.createDocument(docId)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(clients.createDocument(docId)).rejects.toMatchObject({
      code: 'conflict',
      reason: 'DOCUMENT_EXISTS',
    })
  })

  it('never makes a file by opening', async () => {
    const { clients } = instance
    const docId = randomUUID()
    await expect(clients.read(docId, 'Table1')).rejects.toMatchObject({ code: 'not_found' })
    await expect(clients.add(docId, 'Table1', [{}])).rejects.toMatchObject({ code: 'not_found' })
    await expect(stat(fileOf(docId))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('refuses ids that are no UUID', async () => {
    const { clients } = instance
    for (const docId of ['../../etc/passwd', 'x', '', randomUUID().toUpperCase()])
      await expect(clients.createDocument(docId)).rejects.toMatchObject({ code: 'invalid' })
  })

  it('deletes a document for good', async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    await clients.add(docId, 'Table1', [{ A: 1 }])
    const remove = async () =>
      clients.documents.deleteDocument({ docId, keeps: false }, await clients.asSystem())
    await remove()
    await expect(stat(fileOf(docId))).rejects.toMatchObject({ code: 'ENOENT' })
    const gone = { code: 'precondition', reason: 'DOCUMENT_DELETED' }
    await expect(clients.add(docId, 'Table1', [{ A: 1 }])).rejects.toMatchObject(gone)
    await expect(clients.read(docId, 'Table1')).rejects.toMatchObject(gone)
    await expect(clients.createDocument(docId)).rejects.toMatchObject(gone)
    await remove()
  })

  it('deletes only for Sheaf itself', async () => {
    const { clients } = instance
    const docId = await clients.createDocument()
    const call = await clients.as(docId, 'owners')
    await expect(
      clients.documents.deleteDocument({ docId, keeps: false }, call),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('serves more documents than it keeps open', async () => {
    const { clients } = instance
    const docIds = await Promise.all(Array.from({ length: 12 }, () => clients.createDocument()))
    for (const round of [1, 2])
      await Promise.all(docIds.map((docId, i) => clients.add(docId, 'Table1', [{ A: i * round }])))
    for (const [i, docId] of docIds.entries())
      expect((await clients.read(docId, 'Table1')).map(({ fields }) => fields.A)).toEqual([
        i,
        i * 2,
      ])
  })

  it('answers a clear error for a damaged file, and serves the other documents', async () => {
    const { clients } = instance
    const whole = await clients.createDocument()
    const damaged = await clients.createDocument()
    // Others take its place, so that it is closed.
    for (let i = 0; i < 6; i++) await clients.add(await clients.createDocument(), 'Table1', [{}])
    await writeFile(fileOf(damaged), 'this is no database, but it is long enough to be looked at')
    await expect(clients.read(damaged, 'Table1')).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'DOCUMENT_DAMAGED',
    })
    await truncate(fileOf(damaged), 0)
    await expect(clients.add(damaged, 'Table1', [{ A: 1 }])).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'DOCUMENT_DAMAGED',
    })
    expect(await clients.add(whole, 'Table1', [{ A: 1 }])).toEqual([1])
  })

  it('leaves nothing unfinished behind', async () => {
    const unfinished = join(instance.folder.path, 'documents', 'unfinished')
    expect(await readdir(unfinished)).toEqual([])
  })
})
