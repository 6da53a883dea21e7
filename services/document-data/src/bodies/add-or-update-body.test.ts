import { readAddOrUpdateBody } from './add-or-update-body'

const read = (body: unknown) => readAddOrUpdateBody(Buffer.from(JSON.stringify(body)))

describe('readAddOrUpdateBody', () => {
  it('groups records by their columns, whose names decide which group comes first', () => {
    const { count, groups } = read({
      records: [
        { require: { A: 'a' }, fields: { B: 1 } },
        { require: { B: 2, A: 'b' }, fields: { B: 3 } },
        { require: { A: 'c' }, fields: { B: 4 } },
        { require: { A: 'd' } },
      ],
    })
    expect(count).toBe(4)
    expect(groups.map(({ places }) => places)).toEqual([[1], [3], [0, 2]])
    expect(groups[0]?.require).toEqual(
      new Map([
        ['B', [2]],
        ['A', ['b']],
      ]),
    )
    expect(groups[1]?.fields.size).toBe(0)
    expect(groups[2]?.require).toEqual(new Map([['A', ['a', 'c']]]))
    expect(groups[2]?.fields).toEqual(new Map([['B', [1, 4]]]))
  })

  it('gives what each record expects, beside its columns', () => {
    const { groups } = read({
      records: [
        { require: { A: 'a' }, fields: { B: 1 }, expect: { B: 0, L: ['L', 'x'] } },
        { require: { A: 'b' }, fields: { B: 2 } },
        { require: { B: 3 } },
        { require: { B: 4 }, fields: { A: 'c' }, expect: {} },
      ],
    })
    const cells = new Map<string, unknown>([
      ['B', 0],
      ['L', ['L', 'x']],
    ])
    expect(groups.map(({ places, expected }) => [places, expected])).toEqual([
      [
        [0, 1],
        [cells, undefined],
      ],
      [[2], undefined],
      [[3], [new Map()]],
    ])
  })

  it.each([
    [{}, 'body.records is missing'],
    [[], 'body.records is missing'],
    [{ records: [] }, 'body.records[0] is not an object'],
    [{ records: [1] }, 'body.records[0] is not an object'],
    [{ records: [{ fields: {} }] }, 'body.records[0].require is missing'],
    [{ records: [{ require: [] }] }, 'body.records[0].require is not an object'],
    [{ records: [{ require: {}, fields: 1 }] }, 'body.records[0].fields is not an object'],
    [{ records: [{ require: { id: '1' } }] }, 'body.records[0].require.id is not a number'],
    [{ records: [{ require: { A: {} } }] }, 'body.records[0].require.A is not a CellValue'],
    [{ records: [{ require: {}, fields: { A: [1] } }] }, 'body.records[0].fields.A is not a CellV'],
    [{ records: [{ require: {}, expect: null }] }, 'body.records[0].expect is not an object'],
    [{ records: [{ require: {}, expect: ['A'] }] }, 'body.records[0].expect is not an object'],
    [{ records: [{ require: {}, expect: { A: {} } }] }, 'body.records[0].expect.A is not a CellV'],
  ])('refuses %j, naming the place', (body, fault) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_PAYLOAD',
        metadata: { userError: expect.stringContaining(fault) as string },
      }) as Error,
    )
  })
})
