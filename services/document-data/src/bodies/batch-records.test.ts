import fc from 'fast-check'
import { readBatch } from './batch-body'

type Fields = Readonly<Record<string, number>>
interface Update {
  readonly id: number | string
  readonly fields: Fields
}

/** The steps of a batch that updates these records of a table, after a row `$new` was added. */
function stepsOf(records: readonly Update[]) {
  const added = { op: 'addRecords', table: 'T', records: [{ id: '$new', fields: {} }] }
  const updated = { op: 'updateRecords', table: 'T', records }
  const [, operation] = readBatch(Buffer.from(JSON.stringify({ operations: [added, updated] })))
  if (operation?.op !== 'updateRecords') throw new Error('no updates')
  return operation.steps
}

const placesOf = (records: readonly Update[]) => stepsOf(records).map(({ places }) => places)

describe('updates of a batch', () => {
  it('with the same columns belong to one step, also when they alternate with others', () => {
    const records = Array.from({ length: 6 }, (_, index): Update => ({
      id: index + 1,
      fields: index % 2 === 0 ? { A: 1 } : { B: 2 },
    }))
    expect(placesOf(records)).toEqual([
      [0, 2, 4],
      [1, 3, 5],
    ])
  })

  it('of one row stay in their order', () => {
    const [A, AB] = [{ A: 1 }, { A: 2, B: 2 }]
    const records: Update[] = [
      { id: 1, fields: A },
      { id: 1, fields: AB },
      { id: 1, fields: A },
    ]
    expect(placesOf(records)).toEqual([[0], [1], [2]])
    expect(placesOf([...records, { id: 2, fields: A }, { id: 1, fields: A }])).toEqual([
      [0],
      [1],
      [2, 3, 4],
    ])
  })

  it('have the effect of one after the other, whichever rows they name and columns they have', () => {
    const id = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant('$new'))
    const fields = fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.nat(), { minKeys: 1 })
    fc.assert(
      fc.property(
        fc.array(fc.record({ id, fields }), { minLength: 1, maxLength: 12 }),
        (records) => {
          // The new row is the one that other records name as 4.
          const rowOf = (name: number | string) => (name === '$new' ? 4 : name)
          const write = (rows: Map<string, number>, row: number | string, cells: Fields) => {
            for (const [column, value] of Object.entries(cells))
              rows.set(`${rowOf(row)}.${column}`, value)
          }
          const [expected, actual] = [new Map<string, number>(), new Map<string, number>()]
          for (const record of records) write(expected, record.id, record.fields)
          for (const { places } of stepsOf(records))
            for (const place of places) {
              const record = records[place]
              if (record) write(actual, record.id, record.fields)
            }
          expect(actual).toEqual(expected)
        },
      ),
    )
  })
})
