import type { Operation } from '@sheaf/protos/sheaf/events/v1/changes'
import { DeltaCollector } from './table-deltas'

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

function addRows(rowIds: number[], values: unknown[]): Operation {
  const column = { colId: 'constructor', colRef: 2, oldValuesJson: Buffer.alloc(0) }
  const columns = [{ ...column, newValuesJson: json(values) }]
  return { operation: { $case: 'addRows', value: { tableId: 'T', tableRef: 1, rowIds, columns } } }
}

describe('a collector of differences', () => {
  it('counts the rows of all operations of a table and kind', () => {
    const collector = new DeltaCollector(3)
    collector.add(addRows([1, 2], ['a', 'b']))
    collector.add(addRows([3, 4], ['c', 'd']))
    expect(collector.delta.tableDeltas.T).toEqual({
      updateRows: [],
      removeRows: [],
      addRows: [1, 2, 3, 4],
      columnDeltas: { constructor: { 1: [null, ['a']], 2: [null, ['b']], 3: [null, ['c']] } },
      columnRenames: [],
    })
  })

  it('refuses more cells than one answer may have, and more row ids', () => {
    const large = new DeltaCollector(Infinity)
    const megabyte = 'x'.repeat(1024 * 1024)
    const addMany = () => {
      for (let row = 1; row <= 20; row++) large.add(addRows([row], [megabyte]))
    }
    expect(addMany).toThrow(/differ too much/)
    const ids = Array.from({ length: 3_000_000 }, (_, i) => i + 1)
    expect(() => new DeltaCollector(0).add(addRows(ids, []))).toThrow(/differ too much/)
  })
})
