import type { Row } from '../../api/resources'
import type { CellChanges } from './recent-changes'
import { withCells } from './row-blocks'
import { RowWrites, WriteQueue, type WritingApi } from './row-writes'

/** A row, and a server that trims values and rejects invalid ones. */
function setUp() {
  let shown: Row = { id: 1, fields: { Name: 'old' } }
  let kept = shown
  let seq = 10
  const history: unknown[] = []
  const show = (row: Row) => {
    if (row === shown) return
    shown = row
    history.push(row.fields.Name)
  }
  const rows = {
    find: (id: number) => (id === 1 ? shown : undefined),
    replace: show,
    apply: ({ columns }: CellChanges) => show(withCells(shown, { Name: columns.Name?.[0] })),
    remember() {},
    scheduleRefresh() {},
  }
  const api: WritingApi = {
    async change([change]) {
      const name = String(change?.fields.Name)
      if (name === 'bad') throw new Error('refused')
      kept = { id: 1, fields: { Name: name.trim() } }
      return ++seq
    },
    readRows: async () => ({ rows: [kept], seq }),
  }
  const queue = new WriteQueue()
  const open = () => new RowWrites(rows, api, queue)
  return { writes: open(), open, history, shown: () => shown.fields.Name, kept: () => kept }
}

const write = (Name: string) => [{ id: 1, fields: { Name } }]
const logged = (seq: number, name: string) => ({ seq, rowIds: [1], columns: { Name: [name] } })

describe('an edited cell', () => {
  it('shows the entered value at once, then the stored value', async () => {
    const { writes, history } = setUp()
    const done = writes.write(write(' new '))
    expect(history).toEqual([' new '])
    await done
    expect(history).toEqual([' new ', 'new'])
  })

  it('shows the old value again if the write is rejected', async () => {
    const { writes, history } = setUp()
    await expect(writes.write(write('bad'))).rejects.toThrow('refused')
    expect(history).toEqual(['bad', 'old'])
  })

  it('does not flicker if its change arrives while the next write is pending', async () => {
    const { writes, history } = setUp()
    const first = writes.write(write('one'))
    const second = writes.write(write('two'))
    writes.applyChange(logged(11, 'one'))
    await first
    await second
    writes.applyChange(logged(12, 'two'))
    expect(history.filter((name, index) => name !== history[index - 1])).toEqual(['one', 'two'])
  })

  it('keeps the last entered value, even if the view has changed by then', async () => {
    const { writes, open, kept } = setUp()
    const before = ['one', 'two'].map((name) => writes.write(write(name)))
    await Promise.all([...before, open().write(write('three'))])
    expect(kept().fields.Name).toBe('three')
  })

  it('shows a later write by another user', async () => {
    const { writes, shown } = setUp()
    const done = writes.write(write('mine'))
    writes.applyChange(logged(12, 'theirs'))
    expect(shown()).toBe('mine')
    await done
    expect(shown()).toBe('theirs')
  })
})
