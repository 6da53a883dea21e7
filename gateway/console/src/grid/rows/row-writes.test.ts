import type { Row } from '../../api/resources'
import type { CellChanges } from './recent-changes'
import { withCells } from './row-blocks'
import { RowWrites, WriteQueue, type WritingApi } from './row-writes'

/** One row, and a server that trims what it is given; refuses what is not allowed. */
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
      seq++
    },
    readRows: async () => ({ rows: [kept], seq }),
  }
  const queue = new WriteQueue()
  const open = () => new RowWrites(rows, api, queue)
  return { writes: open(), open, history, shown: () => shown.fields.Name, kept: () => kept }
}

const write = (Name: string) => [{ id: 1, fields: { Name } }]
const told = (seq: number, name: string) => ({ seq, rowIds: [1], columns: { Name: [name] } })

describe('a cell that is edited', () => {
  it('shows at once what was entered, then what became of it', async () => {
    const { writes, history } = setUp()
    const done = writes.write(write(' new '))
    expect(history).toEqual([' new '])
    await done
    expect(history).toEqual([' new ', 'new'])
  })

  it('shows the old value again when it is refused', async () => {
    const { writes, history } = setUp()
    await expect(writes.write(write('bad'))).rejects.toThrow('refused')
    expect(history).toEqual(['bad', 'old'])
  })

  it('does not flicker when the log tells of it while the next one is written', async () => {
    const { writes, history } = setUp()
    const first = writes.write(write('one'))
    const second = writes.write(write('two'))
    writes.applyChange(told(11, 'one'))
    await first
    await second
    writes.applyChange(told(12, 'two'))
    expect(history.filter((name, place) => name !== history[place - 1])).toEqual(['one', 'two'])
  })

  it('keeps what was entered last, also when the view is another one by then', async () => {
    const { writes, open, kept } = setUp()
    const before = ['one', 'two'].map((name) => writes.write(write(name)))
    await Promise.all([...before, open().write(write('three'))])
    expect(kept().fields.Name).toBe('three')
  })

  it('becomes what somebody else wrote later', async () => {
    const { writes, shown } = setUp()
    const done = writes.write(write('mine'))
    writes.applyChange(told(12, 'theirs'))
    expect(shown()).toBe('mine')
    await done
    expect(shown()).toBe('theirs')
  })
})
