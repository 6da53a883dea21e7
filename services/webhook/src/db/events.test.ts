import { inStatements } from './events'

const MIB = 1024 * 1024
const event = (row: number, mebibytes: number) => ({ row, body: 'x'.repeat(mebibytes * MIB) })

describe('the events of an entry', () => {
  it('are inserted by several statements when they are large, each once and in order', () => {
    expect([...inStatements([])]).toEqual([])
    const events = [3, 3, 3, 9, 1, 7, 1].map((size, row) => event(row, size))
    const rows = [...inStatements(events)].map((some) => some.map(({ row }) => row))
    expect(rows).toEqual([[0, 1], [2], [3], [4, 5], [6]])
  })
})
