import { openTable, ScriptedTable, until } from './scripted-table'

let server: ScriptedTable
let table: ReturnType<typeof openTable>
beforeEach(() => {
  server = new ScriptedTable()
  table = openTable(server)
})

describe('an edited cell', () => {
  it('shows the entered value at once, then the stored value', async () => {
    const { writes, history, enter } = table
    const done = writes.write([enter(' new ')])
    expect(history).toEqual([' new '])
    expect(writes.stateOf(1, 'Name')).toBe('sending')
    expect(await done).toBe(11)
    expect(history).toEqual([' new ', 'new'])
    expect(writes.stateOf(1, 'Name')).toBeUndefined()
    expect(writes.state).toEqual({ unsaved: 0, waiting: 0, disputes: [] })
  })

  it('shows the old value again if the write is rejected', async () => {
    const { writes, history, enter } = table
    await expect(writes.write([enter('bad')])).rejects.toThrow('refused')
    expect(history).toEqual(['bad', 'old'])
  })

  it('keeps the last entered value', async () => {
    const { writes, history, enter } = table
    await Promise.all([' one ', 'two', 'three'].map((name) => writes.write([enter(name)])))
    expect(server.names.get(1)).toBe('three')
    expect(history).toEqual([' one ', 'two', 'three'])
  })

  it('is written with a later one though an earlier one is rejected', async () => {
    const { writes, enter } = table
    const bad = writes.write([enter('bad')])
    const good = writes.write([enter('good')])
    await expect(bad).rejects.toThrow('refused')
    await good
    expect(server.names.get(1)).toBe('good')
  })
})

describe('cells edited while the server is away', () => {
  const away = async (...names: readonly string[]) => {
    server.isAway = true
    const done = names.map((name, at) => table.writes.write([table.enter(name, at + 1)]))
    await until(() => table.writes.state.waiting > 0)
    return Promise.all(done)
  }
  const back = async () => {
    server.isAway = false
    table.writes.retry()
    await until(() => table.writes.state.unsaved === 0)
  }

  it('show what was entered, and are saved once it answers', async () => {
    const done = away('one', 'two')
    await until(() => table.writes.state.waiting === 2)
    expect([table.shown(1), table.shown(2)]).toEqual(['one', 'two'])
    expect([1, 2, 3].map((id) => table.writes.stateOf(id, 'Name'))).toEqual([
      'waiting',
      'waiting',
      undefined,
    ])
    await back()
    await done
    expect([...server.names.values()]).toEqual(['one', 'two', 'old'])
    expect(table.writes.stateOf(1, 'Name')).toBeUndefined()
  })

  it('are saved after the user has left the table', async () => {
    void away('one')
    await until(() => table.writes.state.waiting === 1)
    table.detach()
    await back()
    expect(server.names.get(1)).toBe('one')
  })

  it('are sent again with the same key, so that a change whose answer was lost is no dispute', async () => {
    server.losesAnswer = true
    const done = table.writes.write([table.enter(' one ')])
    await until(() => table.writes.state.waiting === 1)
    await back()
    await done
    expect([server.names.get(1), table.writes.state.disputes]).toEqual(['one', []])
    expect(new Set(server.keys).size).toBe(1)
  })

  it.each(['mine', 'theirs'] as const)(
    'and by someone else are disputed, and become %s by choice; the others are saved',
    async (choice) => {
      server.isAway = true
      const { writes, enter } = table
      const done = writes.write([enter('mine', 1), enter('other', 2)])
      await until(() => writes.state.waiting === 2)
      server.names.set(1, 'theirs')
      await back()
      await done
      const expected = { rowId: 1, colId: 'Name', place: 'row 1', mine: 'mine', theirs: 'theirs' }
      expect(writes.state.disputes).toMatchObject([expected])
      expect([table.shown(1), writes.stateOf(1, 'Name')]).toEqual(['mine', 'disputed'])
      expect([...server.names.values()]).toEqual(['theirs', 'other', 'old'])
      writes.decide([writes.state.disputes[0]?.id ?? 0], choice)
      await until(() => writes.state.unsaved === 0)
      expect([table.shown(1), server.names.get(1)]).toEqual([choice, choice])
      expect(writes.state.disputes).toEqual([])
    },
  )

  it('are disputed once, with what was entered last', async () => {
    void away('first')
    await until(() => table.writes.state.waiting === 1)
    void table.writes.write([table.enter('second')])
    server.names.set(1, 'theirs')
    await back()
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'second', theirs: 'theirs' }])
    await table.writes.write([table.enter('third')])
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'third', theirs: 'theirs' }])
    expect([table.shown(1), server.names.get(1)]).toEqual(['third', 'theirs'])
  })

  it('are kept with the reason if they are refused later', async () => {
    void away('bad')
    await until(() => table.writes.state.waiting === 1)
    await back()
    await until(() => table.writes.state.disputes.length === 1)
    const [dispute] = table.writes.state.disputes
    expect(dispute).toMatchObject({ mine: 'bad', theirs: 'old', error: { message: 'refused' } })
    table.writes.decide([dispute?.id ?? 0], 'mine')
    await until(() => table.writes.state.disputes.length === 1)
    expect([table.shown(1), server.names.get(1)]).toEqual(['bad', 'old'])
  })

  it('are compared however often the server does not answer then', async () => {
    void away('mine')
    await until(() => table.writes.state.waiting === 1)
    server.names.set(1, 'theirs')
    server.lostReads = 5
    server.isAway = false
    const again = setInterval(() => table.writes.retry(), 1)
    await until(() => table.writes.state.disputes.length === 1)
    clearInterval(again)
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'mine', theirs: 'theirs' }])
    expect(table.writes.state.disputes[0]?.error).toBeUndefined()
  })

  it.each([
    ['changed by someone else', 'mine'],
    ['refused', 'bad'],
  ])('and %s together are sent together again', async (_, name) => {
    server.isAway = true
    const { writes, enter } = table
    const done = writes.write([1, 2, 3].map((id) => enter(name, id)))
    await until(() => writes.state.waiting === 3)
    if (name !== 'bad') for (const id of [1, 2, 3]) server.names.set(id, 'theirs')
    await back()
    await done
    const sent = server.keys.length
    const ids = writes.state.disputes.map(({ id }) => id)
    expect(ids).toHaveLength(3)
    writes.decide(ids, 'mine')
    await until(() => writes.state.unsaved === 0 && server.keys.length > sent)
    expect(server.keys).toHaveLength(sent + 1)
    expect([1, 2, 3].map((id) => table.shown(id))).toEqual([name, name, name])
  })
})
