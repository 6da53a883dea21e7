import type { PresencePlace, PresentSession } from '@sheaf/client'
import { Presence } from './presence'

const cell = (rowId: number): PresencePlace => ({ tableId: 'Pets', rowId, colId: 'Name' })
const session = (userId: number, place: PresencePlace = {}, sessionId = 'own'): PresentSession => ({
  userId,
  name: `user ${userId}`,
  sessionId,
  place,
})

describe('where a page is', () => {
  let sent: PresencePlace[]
  let isRefused: boolean
  let presence: Presence
  const other = session(2)

  beforeEach(() => {
    jest.useFakeTimers()
    sent = []
    isRefused = false
    const send = (place: PresencePlace) => {
      sent.push(place)
      return isRefused ? Promise.reject(new Error('refused')) : Promise.resolve()
    }
    presence = new Presence({ userId: 1, session: 'own', send })
  })
  afterEach(() => {
    presence.stop()
    jest.useRealTimers()
  })
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms)

  it('is sent to nobody while there are no others, nor before the page is present', async () => {
    presence.move(cell(1))
    presence.receive([session(1), session(1, {}, 'another page of the same user')])
    await pass(60_000)
    presence.receive([other])
    await pass(60_000)
    expect(sent).toEqual([])
  })

  it('is sent when somebody comes', async () => {
    presence.move(cell(1))
    presence.receive([session(1)])
    presence.receive([session(1), other])
    await pass(0)
    expect(sent).toEqual([cell(1)])
  })

  it('is sent four times a second at most, the latest each time', async () => {
    presence.receive([session(1), other])
    for (let row = 1; row <= 100; row++) {
      presence.move(cell(row))
      await pass(10)
    }
    await pass(1_000)
    expect(sent.length).toBeLessThan(7)
    expect(sent.at(-1)).toEqual(cell(100))
  })

  it('is not sent again when it is the same', async () => {
    presence.receive([session(1), other])
    presence.move(cell(1))
    await pass(1_000)
    presence.move(cell(1))
    presence.enter('Pets')
    presence.receive([session(1, cell(1)), other])
    await pass(60_000)
    expect(sent).toEqual([cell(1)])
  })

  it('is sent again when the server no longer has it, not because of a list that was under way', async () => {
    presence.receive([session(1), other])
    presence.move(cell(1))
    await pass(0)
    presence.receive([session(1), other])
    await pass(2_000)
    expect(sent).toEqual([cell(1)])
    presence.receive([session(1), other])
    await pass(0)
    expect(sent).toEqual([cell(1), cell(1)])
  })

  it('is sent with the next list after it was refused', async () => {
    isRefused = true
    presence.receive([session(1), other])
    presence.move(cell(1))
    await pass(2_000)
    isRefused = false
    presence.receive([session(1), session(2, cell(5))])
    await pass(0)
    expect(sent).toEqual([cell(1), cell(1)])
  })

  it('is another table as soon as the page has it, and the same cell in the same table', async () => {
    presence.receive([session(1), other])
    presence.move(cell(1))
    presence.enter('Pets')
    await pass(1_000)
    presence.enter('Toys')
    await pass(1_000)
    expect(sent).toEqual([cell(1), { tableId: 'Toys' }])
  })

  it('calls listeners only when other people have changed', () => {
    let calls = 0
    presence.watch(() => (calls += 1))
    presence.receive([session(1), other])
    presence.receive([session(1, cell(3)), other])
    expect(calls).toBe(1)
    presence.receive([session(1), session(2, cell(3))])
    presence.receive([])
    expect(calls).toBe(3)
    expect(presence.read()).toEqual([])
  })
})
