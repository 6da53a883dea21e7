import { fromStored, toStored } from '../storage/stored-entry'
import { openTable, ScriptedTable, until } from './scripted-table'

const names = { docName: 'Plan', tableId: 'T' }
let server: ScriptedTable
beforeEach(() => {
  server = new ScriptedTable()
})

/** Enters names in a page while the server is away, and returns what the page after it gets. */
async function leave(...entered: readonly string[]) {
  server.isAway = true
  const { writes, enter } = openTable(server)
  entered.forEach((name, at) => void writes.write([enter(name, at + 1)]))
  await until(() => writes.state.waiting === entered.length)
  const left = fromStored(
    structuredClone(writes.entries.map((entry) => toStored(entry, names))).toReversed(),
  )
  writes.discard()
  await until(() => writes.entries.length === 0)
  return left
}

/** Opens the next page, with what the one before has left. */
function resume(left: Awaited<ReturnType<typeof leave>>) {
  const table = openTable(server)
  table.writes.restore(left)
  return table
}

describe('values that an earlier page has left', () => {
  it('are shown as waiting, and saved in the order in which they were entered', async () => {
    const left = await leave('one', 'two')
    const { writes, shown } = resume(left)
    expect([shown(1), shown(2), writes.stateOf(1, 'Name')]).toEqual(['one', 'two', 'waiting'])
    expect(writes.state).toMatchObject({ unsaved: 2, waiting: 2 })
    server.isAway = false
    writes.retry()
    await until(() => writes.state.unsaved === 0)
    expect([...server.names.values()]).toEqual(['one', 'two', 'old'])
    expect(writes.entries).toEqual([])
  })

  it('are sent with the same key, so that they take effect once', async () => {
    const left = await leave('one')
    const [key] = server.keys
    server.isAway = false
    const { writes } = resume(left)
    await until(() => writes.state.unsaved === 0)
    expect(server.keys.at(-1)).toBe(key)
  })

  it('are for the user to decide where someone else has changed the cell', async () => {
    const left = await leave('mine', 'other')
    server.names.set(1, 'theirs')
    server.isAway = false
    const { writes } = resume(left)
    await until(() => writes.state.unsaved === 0)
    expect(writes.state.disputes).toMatchObject([{ mine: 'mine', theirs: 'theirs' }])
    expect([...server.names.values()]).toEqual(['theirs', 'other', 'old'])
    const [dispute] = resume(fromStored(writes.entries.map((one) => toStored(one, names)))).writes
      .state.disputes
    expect(dispute).toMatchObject({ mine: 'mine', theirs: 'theirs', rowId: 1, colRef: 7 })
    expect(dispute?.error).toBeUndefined()
  })

  it('are no conflict if they were saved, though the server has forgotten their key', async () => {
    const left = await leave('mine')
    server.names.set(1, 'mine')
    server.isAway = false
    const { writes } = resume(left)
    await until(() => writes.state.unsaved === 0)
    expect([server.names.get(1), writes.state.disputes]).toEqual(['mine', []])
  })

  it('never replace a value if it is not known what they were to replace', async () => {
    const left = (await leave('mine')).map((entry) =>
      'rows' in entry
        ? { ...entry, rows: entry.rows.map((row) => ({ ...row, before: {} })) }
        : entry,
    )
    server.isAway = false
    const { writes } = resume(left)
    await until(() => writes.state.unsaved === 0)
    expect(writes.state.disputes).toMatchObject([{ mine: 'mine', theirs: 'old' }])
    expect(server.names.get(1)).toBe('old')
  })

  it('are sent before what is entered in the same cell of this page', async () => {
    const left = await leave('earlier')
    const { writes, enter, shown } = resume(left)
    const done = writes.write([enter('later')])
    expect(shown(1)).toBe('later')
    server.isAway = false
    writes.retry()
    await done
    await until(() => writes.state.unsaved === 0)
    expect([server.names.get(1), writes.state.disputes]).toEqual(['later', []])
  })

  it('do not replace what this page was already sending', async () => {
    const left = await leave('earlier')
    const { writes, enter } = openTable(server)
    const done = writes.write([enter('now')])
    writes.restore(left)
    server.isAway = false
    writes.retry()
    await done
    await until(() => writes.state.disputes.length === 1)
    expect(writes.state.disputes).toMatchObject([{ mine: 'earlier', theirs: 'now' }])
    expect(server.names.get(1)).toBe('now')
  })

  it('keep the reason why they could not be saved, and are retried together', async () => {
    const left = await leave('bad', 'bad')
    server.isAway = false
    const first = resume(left).writes
    await until(() => first.state.disputes.length === 2)
    const { writes } = resume(
      fromStored(structuredClone(first.entries.map((entry) => toStored(entry, names)))),
    )
    const { disputes } = writes.state
    expect(disputes).toMatchObject([
      { error: { message: 'refused', status: 400 } },
      { error: { message: 'refused' } },
    ])
    expect(disputes[0]?.error).toBe(disputes[1]?.error)
  })
})

describe('values of one cell that two earlier pages have left', () => {
  const restored = async (...pages: readonly string[]) => {
    const left: Awaited<ReturnType<typeof leave>>[] = []
    for (const name of pages) left.push(await leave(name))
    const table = openTable(server)
    for (const entries of left) table.writes.restore(entries)
    return table
  }
  const decided = async ({ writes }: ReturnType<typeof openTable>, count: number) => {
    server.isAway = false
    writes.retry()
    await until(() => writes.state.disputes.length === count && writes.state.unsaved === 0)
  }

  it('do not replace each other unseen', async () => {
    const table = await restored('newer', 'older')
    await decided(table, 1)
    expect(server.names.get(1)).toBe('newer')
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'older', theirs: 'newer' }])
  })

  it('do not replace each other either when a third page has had both', async () => {
    const third = await restored('newer', 'older')
    const both = structuredClone(third.writes.entries.map((entry) => toStored(entry, names)))
    third.writes.discard()
    await until(() => third.writes.entries.length === 0)
    const { writes } = resume(fromStored(both))
    await decided({ ...third, writes }, 1)
    const [dispute] = writes.state.disputes
    expect([server.names.get(1), dispute?.mine].toSorted()).toEqual(['newer', 'older'])
  })

  it('are both for the user to decide where someone else has changed the cell', async () => {
    const table = await restored('newer', 'older')
    server.names.set(1, 'theirs')
    await decided(table, 2)
    const mine = table.writes.state.disputes.map((dispute) => dispute.mine)
    expect([server.names.get(1), mine]).toEqual(['theirs', ['newer', 'older']])
  })

  it('are one question with what is entered in this page', async () => {
    const table = await restored('newer', 'older')
    void table.writes.write([table.enter('last')])
    await decided(table, 1)
    expect(server.names.get(1)).toBe('newer')
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'last', theirs: 'newer' }])
  })
})

describe('a table that was renamed or deleted', () => {
  it('gets the values under its new name', async () => {
    server.isRenamed = true
    const { writes, enter } = openTable(server)
    await writes.write([enter('mine')])
    expect([server.names.get(1), writes.state.disputes]).toEqual(['mine', []])
    expect(new Set(server.keys).size).toBe(2)
  })

  it('gets the values when its page notices first that it was renamed', async () => {
    server.isRenamed = true
    const { writes, enter } = openTable(server)
    server.onReadTable = () => {
      server.isRenamed = false
      writes.renamed()
    }
    await writes.write([enter('mine')])
    expect([server.names.get(1), writes.state.disputes]).toEqual(['mine', []])
  })

  it('leaves the values for the user to copy', async () => {
    server.isDeleted = true
    const { writes, enter } = openTable(server)
    await writes.write([enter('mine')])
    const error = { reason: 'TABLE_NOT_FOUND' }
    expect(writes.state).toMatchObject({ unsaved: 0, disputes: [{ mine: 'mine', error }] })
  })

  it('does so for values of an earlier page, which are not sent to another table of its name', async () => {
    const left = await leave('mine')
    const sent = server.keys.length
    server.isAway = false
    server.isDeleted = true
    const { writes } = resume(left)
    await until(() => writes.state.disputes.length === 1)
    expect(writes.state.disputes).toMatchObject([{ error: { reason: 'TABLE_NOT_FOUND' } }])
    expect(server.keys).toHaveLength(sent)
  })

  it('does so for a column that was deleted when its value is entered', async () => {
    const { writes, enter } = openTable(server)
    server.columnId = undefined
    await writes.write([enter('mine')])
    expect(writes.state.disputes).toMatchObject([
      { mine: 'mine', error: { reason: 'INVALID_COLUMN' } },
    ])
  })
})
