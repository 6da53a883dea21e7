import { join } from 'node:path'
import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import Database from 'better-sqlite3'
import { TestInstance } from '../support/test-instance'

describe('records', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    instance = await TestInstance.start()
    docId = await instance.clients.createDocument()
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const readSeq = async () => (await instance.clients.readText(docId, 'Table1')).seq

  describe('addRecords', () => {
    it('gives ids that follow the highest one in use', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Ids', { A: 'Text' })
      expect(await clients.add(docId, table, [{ A: 'x' }, {}, { A: 'z' }])).toEqual([1, 2, 3])
      await clients.remove(docId, table, [2, 3])
      expect(await clients.add(docId, table, [{ A: 'again' }])).toEqual([2])
    })

    it('takes defaults where no row names a column, and null where another row does', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Sparse', { A: 'Text', N: 'Numeric', B: 'Bool' })
      await clients.add(docId, table, [{ A: 'x' }, { N: 1, B: true }])
      await clients.add(docId, table, [{}])
      expect(await clients.read(docId, table)).toEqual([
        { id: 1, fields: { A: 'x', N: null, B: false } },
        { id: 2, fields: { A: null, N: 1, B: true } },
        { id: 3, fields: { A: '', N: 0, B: false } },
      ])
    })

    it('turns empty columns into data columns of the type that fits, whose default older rows get', async () => {
      const { clients } = instance
      const own = await clients.createDocument()
      await clients.add(own, 'Table1', [{ A: '', B: null }])
      await clients.add(own, 'Table1', [{ A: '5', B: 'abc' }, { A: '1.5' }])
      const call = await clients.as(own, 'viewers')
      const list = { docId: own, tableId: 'Table1', hidden: false }
      const { columns } = await clients.columns.listColumns(list, call)
      expect(columns.map(({ id, fields }) => [id, fields?.type, fields?.isFormula])).toEqual([
        ['A', 'Numeric', false],
        ['B', 'Text', false],
        ['C', 'Any', true],
      ])
      expect(await clients.read(own, 'Table1')).toEqual([
        { id: 1, fields: { A: 0, B: '', C: null } },
        { id: 2, fields: { A: 5, B: 'abc', C: null } },
        { id: 3, fields: { A: 1.5, B: null, C: null } },
      ])
    })

    it('refuses unknown and computed columns, and changes nothing', async () => {
      const { clients } = instance
      const call = await clients.as(docId, 'editors')
      const columns = [
        { id: 'D', fields: { type: 'Text', isFormula: false } },
        { id: 'F', fields: { formula: '$D', isFormula: true } },
      ] as never
      await clients.tables.addTables({ docId, tables: [{ id: 'Calc', columns }] }, call)
      const seq = await readSeq()
      const add = (fields: object) => clients.add(docId, 'Calc', [{ D: 'x' }, fields])
      await expect(add({ zz: 1 })).rejects.toMatchObject({
        code: 'invalid',
        message: 'Invalid column "zz"',
      })
      await expect(add({ id: 1 })).rejects.toMatchObject({ message: 'Invalid column "id"' })
      await expect(add({ F: 1 })).rejects.toMatchObject({ code: 'invalid' })
      expect(await clients.read(docId, 'Calc')).toEqual([])
      expect(await readSeq()).toBe(seq)
    })

    it('refuses bodies that are no records', async () => {
      const { clients } = instance
      const call = await clients.as(docId, 'editors')
      for (const body of ['', '{', '[]', '{"records":[]}', '{"records":[1]}', '"\\ud800"'])
        await expect(
          clients.records.addRecords(
            { docId, tableId: 'Table1', bodyJson: Buffer.from(body), noParse: false, form: 0 },
            call,
          ),
        ).rejects.toMatchObject({ code: 'invalid' })
    })

    it('goes on below rows that were placed by hand', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Placed', { A: 'Text' })
      await clients.add(docId, table, [{ A: 'a' }, { A: 'b', manualSort: 10.5 }])
      await clients.add(docId, table, [{ A: 'c' }])
      await clients.update(docId, table, [{ id: 1, fields: { manualSort: 99 } }])
      await clients.add(docId, table, [{ A: 'd' }])
      const rows = await clients.read(docId, table, { hidden: true, sort: ['manualSort'] })
      expect(rows.map(({ fields }) => [fields.A, fields.manualSort])).toEqual([
        ['b', 10.5],
        ['c', 11],
        ['a', 99],
        ['d', 100],
      ])
    })

    it('goes on taking rows after one was placed farther down than whole numbers reach', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Far', { A: 'Text' })
      await clients.add(docId, table, [{ A: 'a', manualSort: 1e308 }])
      expect(await clients.add(docId, table, [{ A: 'b' }, { A: 'c', manualSort: 3 }])).toEqual([
        2, 3,
      ])
      const rows = await clients.read(docId, table, { hidden: true, sort: ['manualSort'] })
      expect(rows.map(({ fields }) => [fields.A, fields.manualSort])).toEqual([
        ['c', 3],
        ['a', 1e308],
        ['b', 1e308],
      ])
    })

    it('looks references up by their visible column', async () => {
      const { clients } = instance
      const people = await clients.addTable(docId, 'People', { Name: 'Text' })
      const names = Array.from({ length: 30 }, (_, i) => ({ Name: `P${i + 1}` }))
      await clients.add(docId, people, names)
      const list = { docId, tableId: people, hidden: false }
      const call = await clients.as(docId, 'editors')
      const [name] = (await clients.columns.listColumns(list, call)).columns
      const fields = { isFormula: false, visibleCol: name?.colRef }
      const tasks = await clients.addTable(docId, 'Tasks', { T: 'Text' })
      const columns = [
        { id: 'Who', fields: { ...fields, type: 'Ref:People' } },
        { id: 'All', fields: { ...fields, type: 'RefList:People' } },
      ] as never
      await clients.columns.addColumns({ docId, tableId: tasks, columns }, call)
      await clients.add(docId, tasks, [
        ...names.map(({ Name }) => ({ Who: Name, All: `${Name},P1` })),
        { Who: 'Nobody', All: 'P1,Nobody' },
      ])
      const rows = await clients.read(docId, tasks)
      expect(rows[29]?.fields).toMatchObject({ Who: 30, All: ['L', 30, 1] })
      expect(rows[30]?.fields).toMatchObject({ Who: 'Nobody', All: 'P1,Nobody' })
    })
  })

  describe('updateRecords', () => {
    it('changes cells of the rows named', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Upd', { A: 'Text', N: 'Int' })
      await clients.add(docId, table, [
        { A: 'a', N: 1 },
        { A: 'b', N: 2 },
        { A: 'c', N: 3 },
      ])
      await clients.update(docId, table, [
        { id: 3, fields: { A: 'x', N: '7' } },
        { id: 1, fields: { A: 'y', N: null } },
        { id: 3, fields: { A: 'z', N: 8 } },
      ])
      expect(await clients.read(docId, table)).toEqual([
        { id: 1, fields: { A: 'y', N: null } },
        { id: 2, fields: { A: 'b', N: 2 } },
        { id: 3, fields: { A: 'z', N: 8 } },
      ])
    })

    it('writes no log entry when nothing changes', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Same', { A: 'Text', N: 'Numeric' })
      await clients.add(docId, table, [{ A: 'a', N: 1.5 }])
      const seq = await readSeq()
      expect(await clients.update(docId, table, [{ id: 1, fields: { A: 'a', N: '1.5' } }])).toBe(
        seq,
      )
      expect(await clients.update(docId, table, [{ id: 1, fields: {} }])).toBe(seq)
      expect(await clients.remove(docId, table, [7, 7, -1])).toBe(seq)
      expect(await clients.update(docId, table, [{ id: 1, fields: { A: 'b', N: 1.5 } }])).toBe(
        seq + 1,
      )
    })

    it('refuses rows that are not there and records with different fields', async () => {
      const { clients } = instance
      const table = await clients.addTable(docId, 'Strict', { A: 'Text', B: 'Text' })
      await clients.add(docId, table, [{ A: 'a' }])
      for (const id of [999, 0, -1])
        await expect(
          clients.update(docId, table, [
            { id: 1, fields: { A: 'changed' } },
            { id, fields: { A: 'x' } },
          ]),
        ).rejects.toMatchObject({ code: 'invalid', message: `Invalid row id ${id}` })
      await expect(
        clients.update(docId, table, [
          { id: 1, fields: { A: 'changed' } },
          { id: 1, fields: { B: 'x' } },
        ]),
      ).rejects.toMatchObject({ message: 'PATCH requires all records to have same fields' })
      expect((await clients.read(docId, table))[0]?.fields.A).toBe('a')
    })
  })

  describe('deleteRecords', () => {
    it('clears references to the rows it removes', async () => {
      const { clients } = instance
      const target = await clients.addTable(docId, 'Target', { A: 'Text', Up: 'Ref:Target' })
      const source = await clients.addTable(docId, 'Source', {
        One: 'Ref:Target',
        Many: 'RefList:Target',
        Other: 'Ref:Table1',
      })
      await clients.add(docId, target, [{ Up: 2 }, { Up: 3 }, { Up: 1 }])
      await clients.add(docId, source, [
        { One: 1, Many: ['L', 1, 2, 3, 1], Other: 1 },
        { One: 2, Many: ['L', 1, 2], Other: 2 },
        { One: 3, Many: 'some text', Other: 3 },
      ])
      await clients.remove(docId, target, [1, 2, 2, 77])
      expect(await clients.read(docId, target)).toEqual([{ id: 3, fields: { A: '', Up: 0 } }])
      expect((await clients.read(docId, source)).map(({ fields }) => fields)).toEqual([
        { One: 0, Many: ['L', 3], Other: 1 },
        { One: 0, Many: null, Other: 2 },
        { One: 3, Many: 'some text', Other: 3 },
      ])
    })

    it('refuses what is no list of row ids', async () => {
      for (const body of [{}, ['1'], [1.5], [null]])
        await expect(instance.clients.remove(docId, 'Table1', body)).rejects.toMatchObject({
          code: 'invalid',
        })
    })
  })

  describe('readRecords', () => {
    const rows = 4000
    let table: string
    beforeAll(async () => {
      const { clients } = instance
      table = await clients.addTable(docId, 'Big', { A: 'Text', N: 'Numeric', C: 'Choice' })
      const all = Array.from({ length: rows }, (_, i) => ({
        A: `row ${i} "quoted" ünï 日本`,
        N: (i * 7919) % rows,
        C: ['x', 'y', 'z'][i % 3],
      }))
      await clients.add(docId, table, all)
      await clients.remove(docId, table, [5, 6, 7, 2000])
    })

    it('streams a large table in several messages that are one JSON document', async () => {
      const { text, seq, messages } = await instance.clients.readText(docId, table)
      expect(messages).toBeGreaterThan(2)
      expect(seq).toBe(await readSeq())
      const { records } = JSON.parse(text) as { records: { id: number }[] }
      expect(records.map(({ id }) => id)).toEqual(
        Array.from({ length: rows }, (_, i) => i + 1).filter((id) => ![5, 6, 7, 2000].includes(id)),
      )
      // Byte by byte what JSON.stringify writes.
      expect(text).toBe(JSON.stringify(JSON.parse(text)))
    })

    it('filters, sorts and limits large and small results alike', async () => {
      const { clients } = instance
      const all = await clients.read(docId, table)
      const filterJson = json({ C: ['y'] })
      const filtered = all.filter(({ fields }) => fields.C === 'y')
      const down = [...all].sort((a, b) => Number(b.fields.N) - Number(a.fields.N))
      expect(await clients.read(docId, table, { filterJson })).toEqual(filtered)
      expect(await clients.read(docId, table, { filterJson, limit: 10 })).toEqual(
        filtered.slice(0, 10),
      )
      expect(await clients.read(docId, table, { limit: 1700 })).toEqual(all.slice(0, 1700))
      expect(await clients.read(docId, table, { limit: 3 })).toEqual(all.slice(0, 3))
      expect(await clients.read(docId, table, { sort: ['-N'] })).toEqual(down)
      expect(await clients.read(docId, table, { sort: ['-N'], limit: 5 })).toEqual(down.slice(0, 5))
      const none = await clients.readText(docId, table, { filterJson: json({ C: ['none'] }) })
      expect(none.text).toBe('{"records":[]}')
    })

    it('refuses bad filters, sort keys and limits, naming them', async () => {
      const { clients } = instance
      const read = (request: object) => clients.read(docId, table, request)
      await expect(read({ filterJson: Buffer.from('{') })).rejects.toMatchObject({
        code: 'invalid',
      })
      await expect(read({ filterJson: json({ A: 1 }) })).rejects.toMatchObject({ code: 'invalid' })
      await expect(read({ filterJson: json({ zz: [1] }) })).rejects.toThrow('zz')
      await expect(read({ sort: ['zz'] })).rejects.toThrow('zz')
      await expect(read({ limit: -1 })).rejects.toThrow('limit')
    })

    it('shows one moment although rows are written meanwhile', async () => {
      const { clients } = instance
      const own = await clients.addTable(docId, 'Moment', { N: 'Int' })
      const many = Array.from({ length: 30_000 }, () => ({ N: 0 }))
      const ids = await clients.add(docId, own, many)
      const call = await clients.as(docId, 'viewers')
      const request = ReadRecordsRequest.fromPartial({ docId, tableId: own })
      const chunks: Buffer[] = []
      let writing: Promise<unknown> | undefined
      for await (const { chunk } of clients.records.readRecords(request, call)) {
        chunks.push(chunk)
        writing ??= clients.update(
          docId,
          own,
          ids.map((id) => ({ id, fields: { N: 1 } })),
        )
      }
      await writing
      const { records } = JSON.parse(Buffer.concat(chunks).toString()) as {
        records: { fields: { N: number } }[]
      }
      expect(records).toHaveLength(ids.length)
      expect(new Set(records.map(({ fields }) => fields.N))).toEqual(new Set([0]))
    })

    it('frees its snapshot when the reader goes away', async () => {
      const { clients } = instance
      const own = await clients.createDocument()
      const big = await clients.addTable(own, 'Left', { T: 'Text' })
      const text = 'x'.repeat(1000)
      await clients.add(
        own,
        big,
        Array.from({ length: 5_000 }, () => ({ T: text })),
      )
      const call = await clients.as(own, 'viewers')
      const request = ReadRecordsRequest.fromPartial({ docId: own, tableId: big })
      for (let i = 0; i < 20; i++)
        for await (const { chunk } of clients.records.readRecords(request, call)) {
          expect(chunk.length).toBeGreaterThan(0)
          break
        }
      // Sixteen reads at once are allowed, so twenty that were left open would refuse this one.
      expect(await clients.read(own, big)).toHaveLength(5_000)
    })
  })

  it('leaves a file that SQLite finds whole', async () => {
    const path = join(
      instance.folder.path,
      'documents',
      docId.slice(0, 2),
      docId,
      'document.sqlite',
    )
    const db = new Database(path, { readonly: true })
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    db.close()
    await Promise.resolve()
  })
})
