import { openTable, ScriptedTable, until } from './scripted-table'

let server: ScriptedTable
let table: ReturnType<typeof openTable>
beforeEach(() => {
  server = new ScriptedTable()
  table = openTable(server)
})

/** Sends what waits at once, until something holds. */
async function retryUntil(holds: () => boolean): Promise<void> {
  const again = setInterval(() => table.writes.retry(), 1)
  await until(holds)
  clearInterval(again)
}

describe('a cell that the server always fails to save', () => {
  const isSetAside = () => table.writes.state.disputes.length > 0
  const fail = async () => {
    server.failsFor = 'poison'
    const done = table.writes.write([table.enter('poison')])
    await retryUntil(isSetAside)
    await done
  }

  it('is set aside with the reason, and later cells are saved', async () => {
    server.failsFor = 'poison'
    const first = table.writes.write([table.enter('poison')])
    const second = table.writes.write([table.enter('two', 2)])
    await retryUntil(isSetAside)
    await Promise.all([first, second])
    const expected = { rowId: 1, mine: 'poison', theirs: 'old', error: { reason: 'INTERNAL' } }
    expect(table.writes.state).toMatchObject({ unsaved: 0, waiting: 0, disputes: [expected] })
    expect([table.shown(1), table.writes.stateOf(1, 'Name')]).toEqual(['poison', 'disputed'])
    expect([...server.names.values()]).toEqual(['old', 'two', 'old'])
  })

  it('is saved by a retry once the server no longer fails', async () => {
    await fail()
    server.failsFor = undefined
    table.writes.decide([table.writes.state.disputes[0]?.id ?? 0], 'mine')
    await until(() => server.names.get(1) === 'poison' && table.writes.state.unsaved === 0)
    expect(table.writes.state.disputes).toEqual([])
  })

  it('is set aside again after one answer to a retry', async () => {
    await fail()
    const sent = server.keys.length
    table.writes.decide([table.writes.state.disputes[0]?.id ?? 0], 'mine')
    await until(isSetAside)
    expect(server.keys).toHaveLength(sent + 1)
    expect(table.shown(1)).toBe('poison')
  })

  it('is replaced by what is entered in it later', async () => {
    await fail()
    await table.writes.write([table.enter('good')])
    expect([server.names.get(1), table.shown(1)]).toEqual(['good', 'good'])
    expect(table.writes.state).toEqual({ unsaved: 0, waiting: 0, disputes: [] })
  })

  it('is replaced by what was entered in it while it was being sent', async () => {
    server.failsFor = 'poison'
    const first = table.writes.write([table.enter('poison')])
    const second = table.writes.write([table.enter('good')])
    await retryUntil(() => table.writes.state.unsaved === 0)
    await Promise.all([first, second])
    expect([server.names.get(1), table.writes.state.disputes]).toEqual(['good', []])
  })

  it('is not overwritten unseen when someone else has changed it since', async () => {
    await fail()
    server.names.set(1, 'theirs')
    await table.writes.write([table.enter('good')])
    expect(table.writes.state.disputes).toMatchObject([{ mine: 'good', theirs: 'theirs' }])
    expect(server.names.get(1)).toBe('theirs')
  })

  it('is no longer unsaved if it was saved in spite of the error', async () => {
    server.failsFor = 'poison'
    server.isMadeAnyway = true
    void table.writes.write([table.enter('poison')])
    const later = table.writes.write([table.enter('later')])
    await retryUntil(() => table.writes.state.unsaved === 0)
    await later
    expect([server.names.get(1), table.writes.state.disputes]).toEqual(['later', []])
  })

  it('waits as long as reads fail as well', async () => {
    server.failsFor = 'poison'
    server.lostReads = 3
    void table.writes.write([table.enter('poison')])
    await retryUntil(isSetAside)
    expect(server.keys.length).toBeGreaterThanOrEqual(24)
  })
})

describe('a cell whose column was renamed before it was saved', () => {
  const wait = async (name: string) => {
    server.isAway = true
    void table.writes.write([table.enter(name)])
    await until(() => table.writes.state.waiting === 1)
  }
  const back = () => {
    server.isAway = false
    table.writes.retry()
  }

  it('is saved in the renamed column', async () => {
    await wait('mine')
    server.columnId = 'Title'
    back()
    await until(() => table.writes.state.unsaved === 0)
    expect([server.names.get(1), table.writes.state.disputes]).toEqual(['mine', []])
  })

  it('is saved in it when it is sent again by choice', async () => {
    await wait('mine')
    server.names.set(1, 'theirs')
    back()
    await until(() => table.writes.state.disputes.length === 1)
    server.columnId = 'Title'
    table.writes.decide([table.writes.state.disputes[0]?.id ?? 0], 'mine')
    await until(() => server.names.get(1) === 'mine' && table.writes.state.unsaved === 0)
    expect(table.writes.state.disputes).toEqual([])
  })

  const renameAndAdd = () => {
    server.columnId = 'Title'
    server.addedId = 'Name'
  }

  it('is not sent to a new column of its name when it waits', async () => {
    await wait('mine')
    renameAndAdd()
    back()
    await until(() => table.writes.state.unsaved === 0)
    expect([server.names.get(1), server.added]).toEqual(['mine', []])
    expect(table.writes.state.disputes).toEqual([])
  })

  it.each([
    ['kept', 'mine'],
    ['retried', 'poison'],
  ])('is not sent to a new column of its name when it is %s by choice', async (_, name) => {
    server.failsFor = 'poison'
    await wait(name)
    server.names.set(1, 'theirs')
    server.isAway = false
    await retryUntil(() => table.writes.state.disputes.length === 1)
    server.failsFor = undefined
    renameAndAdd()
    table.writes.decide([table.writes.state.disputes[0]?.id ?? 0], 'mine')
    await until(() => table.writes.state.unsaved === 0)
    expect([server.names.get(1), server.added]).toEqual([name, []])
  })

  it('is kept when the column was deleted and another one has its name', async () => {
    await wait('mine')
    server.columnId = undefined
    server.addedId = 'Name'
    back()
    await until(() => table.writes.state.disputes.length === 1)
    const expected = { colRef: 7, mine: 'mine', error: { reason: 'INVALID_COLUMN' } }
    expect([table.writes.state.disputes, server.added]).toMatchObject([[expected], []])
  })

  it('is replaced by what is entered in the renamed column', async () => {
    await wait('bad')
    back()
    await until(() => table.writes.state.disputes.length === 1)
    server.columnId = 'Title'
    const before = { Title: 'old' }
    const cell = { id: 1, fields: { Title: 'good' }, before, place: 'row 1', colRefs: { Title: 7 } }
    await table.writes.write([cell])
    expect([server.names.get(1), table.writes.state.disputes]).toEqual(['good', []])
  })

  it('is kept when the column was deleted', async () => {
    await wait('mine')
    server.columnId = undefined
    back()
    await until(() => table.writes.state.disputes.length === 1)
    const expected = { colRef: 7, mine: 'mine', error: { reason: 'INVALID_COLUMN' } }
    expect(table.writes.state).toMatchObject({ unsaved: 0, disputes: [expected] })
  })
})

describe('cells that wait for the server', () => {
  const wait = async () => {
    server.isAway = true
    for (const [at, name] of ['one', 'two', 'three'].entries())
      void table.writes.write([table.enter(name, at + 1)])
    await until(() => table.writes.state.waiting === 3)
  }
  const listed = (limit = 10) => table.writes.listWaiting(limit).map(({ mine }) => mine)

  it('are listed, as many as are asked for', async () => {
    await wait()
    expect(listed(2)).toEqual(['one', 'two'])
    const cell = { rowId: 1, colId: 'Name', colRef: 7, place: 'row 1', mine: 'one' }
    expect(table.writes.listWaiting(1)).toEqual([cell])
    // It would be asked for ever.
    server.isAway = false
    table.writes.discard()
  })

  it('are discarded one by one, and the others are saved', async () => {
    await wait()
    table.writes.discard({ rowId: 1, colId: 'Name', colRef: 7 })
    expect([table.shown(1), table.writes.state.waiting]).toEqual(['old', 2])
    const { calls } = server
    await until(() => server.calls > calls)
    expect(table.writes.state.waiting).toBe(2)
    server.isAway = false
    await retryUntil(() => table.writes.state.unsaved === 0)
    expect([...server.names.values()]).toEqual(['old', 'two', 'three'])
  })

  it('are discarded together, and nothing is sent any more', async () => {
    await wait()
    table.writes.discard()
    const sent = server.keys.length
    expect([listed(), table.writes.state.unsaved, table.shown(2)]).toEqual([[], 0, 'old'])
    server.isAway = false
    await table.writes.write([table.enter('new', 3)])
    expect([...server.names.values()]).toEqual(['old', 'old', 'new'])
    expect(server.keys).toHaveLength(sent + 1)
  })
})
