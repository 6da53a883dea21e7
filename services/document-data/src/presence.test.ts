import { Presence, type PresentSession, type Visit } from './presence'

const placeOf = (rowId: number) => ({ tableId: 'Pets', rowId, colId: 'Name' })
const nowhere = { tableId: '', rowId: 0, colId: '' }

describe('the presence in a document', () => {
  let presence: Presence
  const signal = new AbortController().signal
  const who = (userId: number, sessionId = 'one', docId = 'd') => ({ docId, userId, sessionId })
  const enter = (userId: number, sessionId?: string, docId?: string) =>
    presence.enter(who(userId, sessionId, docId), `user ${userId}`)
  const names = (visit: Visit) =>
    visit.list().map(({ name, sessionId }: PresentSession) => `${name} ${sessionId}`)

  beforeEach(() => {
    presence = new Presence()
  })
  afterEach(() => presence[Symbol.dispose]())

  it('lists sessions in the order in which they came, until they leave', () => {
    const ada = enter(1)
    const bob = enter(2)
    enter(3, 'one', 'another document')
    expect(names(ada)).toEqual(['user 1 one', 'user 2 one'])
    bob.leave()
    expect(names(ada)).toEqual(['user 1 one'])
  })

  it('has the place where a session was last', () => {
    const ada = enter(1)
    expect(ada.list()[0]?.place).toEqual(nowhere)
    presence.move(who(1), placeOf(3))
    presence.move(who(1), placeOf(4))
    expect(ada.list()[0]?.place).toEqual(placeOf(4))
  })

  it('is moved by the user of the session only, while it is present', () => {
    const ada = enter(1)
    const unknown = expect.objectContaining({ reason: 'PRESENCE_NOT_FOUND' }) as Error
    expect(() => presence.move(who(2), placeOf(3))).toThrow(unknown)
    expect(() => presence.move(who(1, 'two'), placeOf(3))).toThrow(unknown)
    expect(() => presence.move(who(1, 'one', 'other'), placeOf(3))).toThrow(unknown)
    ada.leave()
    expect(() => presence.move(who(1), placeOf(3))).toThrow(unknown)
  })

  it('keeps a session that connects again before its former call has ended, with its place', () => {
    const former = enter(1)
    presence.move(who(1), placeOf(3))
    const next = enter(1)
    former.leave()
    expect(next.list()).toMatchObject([{ userId: 1, place: placeOf(3) }])
    next.leave()
    expect(presence.size).toBe(0)
  })

  it('tells of every change once, also of one before the wait', async () => {
    const ada = enter(1)
    ada.list()
    const change = ada.change(60_000, signal)
    const bob = enter(2)
    expect(await change).toBe(true)
    ada.list()
    expect(await ada.change(1, signal)).toBe(false)
    bob.leave()
    expect(await ada.change(60_000, signal)).toBe(true)
  })

  it('does not tell of a move to the same place', async () => {
    const ada = enter(1)
    presence.move(who(1), placeOf(3))
    ada.list()
    presence.move(who(1), placeOf(3))
    expect(await ada.change(1, signal)).toBe(false)
  })

  it('ends a wait when the call does', async () => {
    const ada = enter(1)
    ada.list()
    const ended = new AbortController()
    const change = ada.change(60_000, ended.signal)
    ended.abort()
    expect(await change).toBe(false)
    expect(await ada.change(60_000, ended.signal)).toBe(false)
  })

  it('ends all waits when the service stops, and admits nobody then', async () => {
    const ada = enter(1)
    ada.list()
    const change = ada.change(60_000, signal)
    presence[Symbol.dispose]()
    await expect(change).rejects.toMatchObject({ reason: 'DOCUMENT_CLOSED' })
    expect(() => enter(2)).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error)
  })

  it('has ten sessions of one user in one document at most', () => {
    for (let count = 0; count < 10; count++) enter(1, `session ${count}`)
    expect(() => enter(1, 'one more')).toThrow(
      expect.objectContaining({ reason: 'USER_BUSY' }) as Error,
    )
    // A session that is present already may connect again; other documents and users have their own.
    enter(1, 'session 3')
    enter(1, 'one more', 'another document')
    enter(2)
  })

  it('lists the first hundred sessions, and others when these leave', () => {
    const visits = Array.from({ length: 101 }, (_, index) => enter(index + 1))
    const last = visits.at(-1) as Visit
    expect(last.list()).toHaveLength(100)
    expect(names(last)).not.toContain('user 101 one')
    visits[0]?.leave()
    expect(names(last).at(-1)).toBe('user 101 one')
  })

  it('does not let one document take the sessions of all', () => {
    for (let user = 1; user <= 500; user++) enter(user)
    expect(() => enter(501)).toThrow(expect.objectContaining({ reason: 'DOCUMENT_BUSY' }) as Error)
    enter(501, 'one', 'another document')
  })
})
