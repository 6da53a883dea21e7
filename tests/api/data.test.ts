import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''
let data = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int', Born: 'Date' })
  data = `${doc}/tables/Pets/data`
})

describe('columnar data', () => {
  it('is added, changed, fetched and deleted by column', async () => {
    const { rest } = system.alice
    const added = await rest.post(data, {
      body: { Name: ['Rex', 'Tom'], Born: ['2024-01-15', ''] },
    })
    expect(added.body).toEqual([1, 2])
    const changed = await rest.patch(data, { body: { id: [2, 1], Age: ['4', 3] } })
    expect(changed.body).toEqual([2, 1])
    expect((await rest.get(data)).body).toEqual({
      id: [1, 2],
      manualSort: [1, 2],
      Name: ['Rex', 'Tom'],
      Age: [3, 4],
      Born: [1705276800, null],
    })
    expect((await rest.post(`${data}/delete`, { body: [1] })).body).toBe(null)
    const query = { cellFormat: 'typed', sort: '-id', limit: 1 }
    expect((await rest.get(data, { query })).body).toMatchObject({ id: [2], Born: [null] })
  })

  it('is refused when lists differ in length or are none, with nothing changed', async () => {
    const { rest } = system.alice
    for (const body of [
      {},
      [],
      { Name: 'x' },
      { Name: ['a', 'b'], Age: [1] },
      { id: [9], Age: [1] },
    ])
      expect(await rest.post(data, { body })).toMatchObject({ status: 400 })
    for (const body of [
      { Age: [1] },
      { id: 1, Age: 1 },
      { id: [1, 2], Age: [1] },
      { id: [7], Age: [1] },
    ])
      expect(await rest.patch(data, { body })).toMatchObject({ status: 400 })
    expect(await readRecords(rest, `${doc}/tables/Pets`)).toEqual([])
  })
})

describe('adding or updating records', () => {
  const put = (records: object[], query: Record<string, unknown> = {}) =>
    system.alice.rest.put(`${doc}/tables/Pets/records`, { body: { records }, query })

  it('updates what is found and adds what is not, and tells which', async () => {
    const { rest } = system.alice
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex' }, { Name: 'Rex' }])
    const records = [
      { require: { Name: 'Rex' }, fields: { Age: 3 } },
      { require: { Name: 'Tom' }, fields: { Age: 4 } },
    ]
    expect((await put(records, { onmany: 'all' })).body).toEqual({
      recordIds: [[1, 2], [3]],
      addRecordIds: [3],
      updateRecordIds: [[1, 2]],
    })
    expect((await put(records, { onmany: 'none', noadd: 1 })).body).toMatchObject({
      recordIds: [[], [3]],
    })
    expect((await put(records, { noupdate: 1 })).body).toMatchObject({ recordIds: [[], []] })
  })

  it('does all of it or nothing', async () => {
    const records = [{ require: { Name: 'a' } }, { require: { Name: 'b' }, fields: { zz: 1 } }]
    expect(await put(records)).toMatchObject({
      status: 400,
      body: { error: 'Invalid column "zz"' },
    })
    expect(await put([{ require: {} }])).toMatchObject({ status: 400 })
    expect(await put([{ require: { Name: 'a' } }], { onmany: 'some' })).toMatchObject({
      status: 400,
    })
    expect(await readRecords(system.alice.rest, `${doc}/tables/Pets`)).toEqual([])
  })
})
