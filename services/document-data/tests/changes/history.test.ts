import { Readable } from 'node:stream'
import type { UploadAttachmentRequest } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import type { ListHistoryRequest } from '@sheaf/protos/sheaf/document_data/v1/history'
import { Cause, type ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { AppError } from '@sheaf/kit/errors'
import { newColumns, TestInstance } from '../support/test-instance'
import { buildWorkers } from '../support/test-store'

const parse = (bytes: Uint8Array | undefined) =>
  bytes && bytes.length > 0 ? (JSON.parse(Buffer.from(bytes).toString()) as unknown[]) : undefined

/** What a change did, in short: kind, rows, and by column what it held before and after. */
function shortly({ operations }: ChangeEvent): unknown[] {
  return operations.map(({ operation }) => {
    if (operation?.$case === 'schema') return [operation.value.kind, operation.value.tableId]
    const { rowIds = [], columns = [] } = operation?.value ?? {}
    const cells = columns
      .filter(({ colId }) => colId !== 'manualSort')
      .map((c) => [c.colId, parse(c.oldValuesJson), parse(c.newValuesJson)])
    return [operation?.$case, rowIds, cells]
  })
}

describe('the history of a document', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
  }, 240_000)
  afterAll(() => instance[Symbol.asyncDispose]())
  beforeEach(async () => {
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Pets', { Name: 'Text', Age: 'Int' })
    await clients.addTable(docId, 'Visits', { Pet: 'Ref:Pets' })
    await clients.add(docId, 'Pets', [
      { Name: 'Rex', Age: 3 },
      { Name: 'Tom', Age: 0 },
    ])
    await clients.add(docId, 'Visits', [{ Pet: 2 }])
  })

  const list = async (request: Partial<ListHistoryRequest> = {}) => {
    const whole = { docId, tableId: '', rowId: 0, keyId: 0, beforeSeq: 0, limit: 0, ...request }
    return instance.clients.history.listHistory(whole, await instance.clients.as(docId, 'editors'))
  }
  const seqs = async (request: Partial<ListHistoryRequest> = {}) =>
    (await list(request)).changes.map(({ seq }) => seq)

  it('tells who changed what, newest first, with values before and after', async () => {
    const { clients } = instance
    await clients.update(docId, 'Pets', [{ id: 1, fields: { Age: 4 } }])
    await clients.remove(docId, 'Pets', [2])
    const { changes, nextBeforeSeq } = await list()
    expect(changes.map(({ seq }) => seq)).toEqual([7, 6, 5, 4, 3, 2, 1])
    expect(nextBeforeSeq).toBe(0)
    expect(changes[0]).toMatchObject({ docId, userId: 1, cause: Cause.API, truncated: false })
    expect(Math.abs(Date.now() - (changes[0]?.timeMs ?? 0))).toBeLessThan(60_000)
    expect(changes.slice(0, 4).map(shortly)).toEqual([
      [
        [
          'removeRows',
          [2],
          [
            ['Name', ['Tom'], undefined],
            ['Age', [0], undefined],
          ],
        ],
        ['updateRows', [1], [['Pet', [2], [0]]]],
      ],
      [['updateRows', [1], [['Age', [3], [4]]]]],
      [['addRows', [1], [['Pet', undefined, [2]]]]],
      [
        [
          'addRows',
          [1, 2],
          [
            ['Name', undefined, ['Rex', 'Tom']],
            ['Age', undefined, [3, 0]],
          ],
        ],
      ],
    ])
  })

  it('comes in pages', async () => {
    const first = await list({ limit: 3 })
    expect(first.changes.map(({ seq }) => seq)).toEqual([5, 4, 3])
    expect(first.nextBeforeSeq).toBe(3)
    const second = await list({ limit: 3, beforeSeq: first.nextBeforeSeq })
    expect(second.changes.map(({ seq }) => seq)).toEqual([2, 1])
    expect(second.nextBeforeSeq).toBe(0)
    expect(await list({ beforeSeq: 1 })).toEqual({ changes: [], nextBeforeSeq: 0 })
  })

  it('of a table holds what concerns it, by its id of now or its ref, also when it is gone', async () => {
    const { clients } = instance
    await clients.remove(docId, 'Pets', [2])
    expect(await seqs({ tableId: 'Visits' })).toEqual([6, 5, 3])
    const [last] = (await list({ tableId: '3' })).changes
    expect(last && shortly(last)).toEqual([['updateRows', [1], [['Pet', [2], [0]]]]])
    await clients.remove(docId, '_grist_Tables', [2])
    expect(await seqs({ tableId: '2' })).toEqual([7, 6, 4, 2])
    await expect(list({ tableId: 'Pets' })).rejects.toMatchObject({ code: 'not_found' })
    for (const tableId of ['9', '0', '99999999999999999999'])
      await expect(list({ tableId })).rejects.toMatchObject({ reason: 'TABLE_NOT_FOUND' })
  })

  it('of a row holds what became of it', async () => {
    const { clients } = instance
    const ages = [
      { id: 1, fields: { Age: 4 } },
      { id: 2, fields: { Age: 5 } },
    ]
    await clients.update(docId, 'Pets', ages)
    await clients.remove(docId, 'Pets', [1])
    const { changes } = await list({ tableId: 'Pets', rowId: 2 })
    expect(changes.map(({ seq }) => seq)).toEqual([6, 4])
    expect(changes.map(shortly)).toEqual([
      [['updateRows', [2], [['Age', [0], [5]]]]],
      [
        [
          'addRows',
          [2],
          [
            ['Name', undefined, ['Tom']],
            ['Age', undefined, [0]],
          ],
        ],
      ],
    ])
    const call = await clients.as(docId, 'editors')
    await clients.columns.deleteColumn({ docId, tableId: 'Pets', columnId: 'Name' }, call)
    const [removal] = (await list({ tableId: 'Pets', rowId: 2 })).changes
    expect(removal?.operations).toMatchObject([
      { operation: { value: { kind: 'remove_column', colId: 'Name', rowIds: [2] } } },
    ])
  })

  it('leaves out what is too large for a page, but not what became of one row in it', async () => {
    const { clients } = instance
    const long = 'x'.repeat(700)
    await clients.add(
      docId,
      'Pets',
      Array.from({ length: 2000 }, () => ({ Name: long })),
    )
    await clients.update(docId, 'Pets', [{ id: 9, fields: { Age: 7 } }])
    const { changes } = await list({ limit: 2 })
    expect(changes.map(({ truncated, operations }) => [truncated, operations.length])).toEqual([
      [false, 1],
      [true, 0],
    ])
    const ofRow = await list({ tableId: 'Pets', rowId: 9 })
    expect(ofRow.changes.map(shortly)).toEqual([
      [['updateRows', [9], [['Age', [0], [7]]]]],
      [
        [
          'addRows',
          [9],
          [
            ['Name', undefined, [long]],
            ['Age', undefined, [0]],
          ],
        ],
      ],
    ])
    expect(ofRow.nextBeforeSeq).toBe(0)
  })

  it('is searched a bounded part at a time', async () => {
    const { clients } = instance
    // Each is nearly a page.
    const long = 'x'.repeat(600_000)
    for (const Name of ['a', 'b', 'c']) await clients.add(docId, 'Pets', [{ Name: Name + long }])
    const pages: number[][] = []
    for (let beforeSeq = 0; ;) {
      const { changes, nextBeforeSeq } = await list({ beforeSeq })
      pages.push(changes.map(({ seq }) => seq))
      if (nextBeforeSeq === 0) break
      beforeSeq = nextBeforeSeq
    }
    expect(pages.flat()).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
    expect(pages.length).toBeGreaterThan(2)
  })

  it.each([
    [{ limit: 101 }, 'limit'],
    [{ limit: -1 }, 'limit'],
    [{ beforeSeq: -1 }, 'before_seq'],
    [{ tableId: 'Pets', rowId: -1 }, 'row_id'],
    [{ rowId: 1 }, 'row_id'],
  ])('refuses %j, naming the field', async (request, field) => {
    await expect(list(request)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(field) as unknown,
    })
  })

  it('is for editors', async () => {
    const { clients } = instance
    const request = { docId, tableId: '', rowId: 0, keyId: 0, beforeSeq: 0, limit: 0 }
    const viewer = await clients.as(docId, 'viewers')
    const forbidden = { code: 'forbidden', reason: 'ACCESS_DENIED' }
    await expect(clients.history.listHistory(request, viewer)).rejects.toMatchObject(forbidden)
    await expect(clients.history.revertChange({ docId, seq: 2 }, viewer)).rejects.toMatchObject(
      forbidden,
    )
  })

  describe('undoing a change', () => {
    const revert = async (seq: number, options = {}) => {
      const call = await instance.clients.as(docId, 'editors')
      return instance.clients.history.revertChange({ docId, seq, ...options }, call)
    }
    const conflictsOf = (seq: number) =>
      revert(seq).then(
        () => undefined,
        ({ code, reason, metadata }: AppError) => {
          expect([code, reason]).toEqual(['conflict', 'CHANGED_SINCE'])
          return JSON.parse(metadata.conflictsJson ?? '') as unknown
        },
      )
    const rows = async (tableId: string) =>
      (await instance.clients.read(docId, tableId)).map(
        ({ id, fields }): Record<string, unknown> => ({ id, ...fields }),
      )

    it('takes cells back, and leaves what came later', async () => {
      const { clients } = instance
      const ages = [
        { id: 1, fields: { Age: 4 } },
        { id: 2, fields: { Age: 5 } },
      ]
      const seq = await clients.update(docId, 'Pets', ages)
      await clients.update(docId, 'Pets', [{ id: 1, fields: { Name: 'King' } }])
      const undone = await revert(seq)
      expect(undone.seq).toBe(8)
      expect(undone.etag).toMatch(/^[\w-]+\.8$/)
      expect(await rows('Pets')).toEqual([
        { id: 1, Name: 'King', Age: 3 },
        { id: 2, Name: 'Tom', Age: 0 },
      ])
      const [entry] = (await list({ limit: 1 })).changes
      expect([entry?.cause, entry?.userId]).toEqual([Cause.UNDO, 1])
      expect(entry && shortly(entry)).toEqual([['updateRows', [1, 2], [['Age', [4, 5], [3, 0]]]]])
      await revert(undone.seq)
      expect((await rows('Pets')).map(({ Age }) => Age)).toEqual([4, 5])
    })

    it('names the rows that have changed since, and then changes nothing', async () => {
      const { clients } = instance
      const seq = await clients
        .add(
          docId,
          'Pets',
          Array.from({ length: 150 }, () => ({ Age: 1 })),
        )
        .then(() => 6)
      await clients.update(docId, 'Pets', [{ id: 7, fields: { Age: 2 } }])
      const edited = [{ tableId: 'Pets', rowIds: [7], rowCount: 1 }]
      expect(await conflictsOf(seq)).toEqual(edited)
      await clients.update(docId, 'Pets', [{ id: 7, fields: { Age: 1 } }])
      await clients.add(docId, 'Visits', [{ Pet: 9 }])
      expect(await conflictsOf(seq)).toEqual([{ tableId: 'Visits', rowIds: [2], rowCount: 1 }])
      await clients.remove(docId, 'Visits', [2])
      const later = Array.from({ length: 150 }, (_, i) => ({ id: i + 3, fields: { Age: 3 } }))
      await clients.update(docId, 'Pets', later)
      expect(await conflictsOf(seq)).toEqual([
        { tableId: 'Pets', rowIds: later.slice(0, 100).map(({ id }) => id), rowCount: 150 },
      ])
      expect(await rows('Pets')).toHaveLength(152)
      expect((await list({ limit: 1 })).changes[0]?.seq).toBe(11)
    })

    it('brings removed rows back with the references to them', async () => {
      const { clients } = instance
      const before = [await rows('Pets'), await rows('Visits')]
      const seq = await clients.remove(docId, 'Pets', [2])
      await clients.add(docId, 'Pets', [{ Name: 'Other' }])
      expect(await conflictsOf(seq)).toEqual([{ tableId: 'Pets', rowIds: [2], rowCount: 1 }])
      await clients.remove(docId, 'Pets', [2])
      await revert(seq)
      expect([await rows('Pets'), await rows('Visits')]).toEqual(before)
    })

    it('brings a removed table back with its refs, rows and what referred to it', async () => {
      const { clients } = instance
      const metadata = () => clients.read(docId, '_grist_Tables_column', { hidden: true })
      const before = [await rows('Pets'), await rows('Visits'), await metadata()]
      const seq = await clients.remove(docId, '_grist_Tables', [2])
      const undone = await revert(seq)
      expect([await rows('Pets'), await rows('Visits'), await metadata()]).toEqual(before)
      expect(await clients.add(docId, 'Pets', [{ Name: 'New' }])).toEqual([3])
      expect(await conflictsOf(undone.seq)).toEqual([{ tableId: 'Pets', rowIds: [3], rowCount: 1 }])
      await clients.remove(docId, 'Pets', [3])
      const again = await revert(undone.seq)
      await clients.addTable(docId, 'PETS', { A: 'Text' })
      expect(await conflictsOf(again.seq)).toEqual([{ tableId: 'PETS' }])
    })

    it('brings a removed column back with its cells, after its table was renamed', async () => {
      const { clients } = instance
      const call = await clients.as(docId, 'editors')
      const columns = { docId, tableId: 'Visits', columnId: 'Pet' }
      const { seq } = await clients.columns.deleteColumn(columns, call)
      await clients.update(docId, '_grist_Tables', [{ id: 2, fields: { tableId: 'Animals' } }])
      await clients.add(docId, 'Visits', [{}])
      await revert(seq)
      expect(await rows('Visits')).toEqual([
        { id: 1, Pet: 2 },
        { id: 2, Pet: 0 },
      ])
      const filterJson = Buffer.from('{"colId":["Pet"]}')
      const [column] = await clients.read(docId, '_grist_Tables_column', { filterJson })
      expect(column?.fields.type).toBe('Ref:Animals')
    })

    it('undoes a change of type without converting back', async () => {
      const { clients } = instance
      await clients.update(docId, 'Pets', [{ id: 1, fields: { Name: '007' } }])
      const columns = await clients.read(docId, '_grist_Tables_column')
      const ref = columns.find(({ fields }) => fields.colId === 'Name')?.id ?? 0
      const change = [{ id: ref, fields: { type: 'Int' } }]
      const seq = await clients.update(docId, '_grist_Tables_column', change)
      await clients.add(docId, 'Pets', [{ Name: 8 }])
      await revert(seq)
      expect((await rows('Pets')).map(({ Name }) => Name)).toEqual(['007', 'Tom', '8'])
    })

    it('removes an added column that holds nothing', async () => {
      const { clients } = instance
      const call = await clients.as(docId, 'editors')
      const wished = newColumns([{ id: 'Note', fields: { type: 'Text', isFormula: false } }])
      const request = { docId, tableId: 'Pets', columns: wished }
      const { seq } = await clients.columns.addColumns(request, call)
      await clients.update(docId, 'Pets', [{ id: 1, fields: { Note: 'x' } }])
      expect(await conflictsOf(seq)).toEqual([{ tableId: 'Pets', rowIds: [1], rowCount: 1 }])
      await revert(seq + 1)
      await revert(seq)
      expect(Object.keys((await rows('Pets'))[0] ?? {})).toEqual(['id', 'Name', 'Age'])
    })

    it('removes uploaded attachments that nothing refers to, once and for all', async () => {
      const { clients } = instance
      await clients.addTable(docId, 'Files', { File: 'Attachments' })
      const head = { docId, fileName: 'a.txt', mediaType: 'text/plain' }
      const upload: UploadAttachmentRequest[] = [
        { part: { $case: 'attachment', value: head } },
        { part: { $case: 'chunk', value: Buffer.from('a') } },
        { part: { $case: 'complete', value: true } },
      ]
      const editor = await clients.as(docId, 'editors')
      const made = await clients.attachments.uploadAttachment(Readable.from(upload), editor)
      await clients.add(docId, 'Files', [{ File: ['L', made.attachment?.id] }])
      expect(await conflictsOf(7)).toEqual([{ tableId: 'Files', rowIds: [1], rowCount: 1 }])
      await clients.remove(docId, 'Files', [1])
      const { seq } = await revert(7)
      expect(await rows('_grist_Attachments')).toEqual([])
      await expect(revert(seq)).rejects.toMatchObject({ code: 'invalid', reason: 'NOT_REVERTIBLE' })
    })

    it('answers what cannot be undone, and what is not there', async () => {
      await expect(revert(1)).rejects.toMatchObject({ code: 'invalid', reason: 'NOT_REVERTIBLE' })
      for (const seq of [6, 2 ** 40])
        await expect(revert(seq)).rejects.toMatchObject({
          code: 'not_found',
          reason: 'CHANGE_NOT_FOUND',
        })
      for (const seq of [0, -1])
        await expect(revert(seq)).rejects.toMatchObject({ code: 'invalid', reason: 'BAD_FIELD' })
    })

    it('keeps to what is asked of a write', async () => {
      const { clients } = instance
      const seq = await clients.update(docId, 'Pets', [{ id: 1, fields: { Age: 4 } }])
      const options = { ifMatch: ['x.1'], idempotencyKey: '', requestDigest: Buffer.alloc(0) }
      await expect(revert(seq, { options })).rejects.toMatchObject({ reason: 'DOCUMENT_CHANGED' })
      const once = { ifMatch: [], idempotencyKey: 'k', requestDigest: Buffer.alloc(32) }
      const undone = await revert(seq, { options: once })
      expect(await revert(seq, { options: once })).toEqual(undone)
      expect((await list({ limit: 1 })).changes[0]?.seq).toBe(undone.seq)
    })
  })
})
