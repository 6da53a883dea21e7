import { setImmediate as nextTurn } from 'node:timers/promises'
import { ReplyRoom } from './reply-room'

const MIB = 1024 * 1024
const reply = Buffer.alloc(MIB)
const callerOf = (userId: number, signal?: AbortSignal) => ({ userId, signal })

/** A room in which user 1 holds a whole share: four replies of a MiB. */
function createRoom() {
  const room = new ReplyRoom()
  const releases = Array.from({ length: 4 }, () => {
    expect(room.enter(callerOf(1))).toBeUndefined()
    return room.hold(callerOf(1), reply)
  })
  const release = () => releases.shift()?.()
  return { room, release }
}

describe('the room for replies', () => {
  it('makes a user with many replies wait, and nobody else', () => {
    const { room } = createRoom()
    expect(room.used).toBe(4 * MIB)
    expect(room.enter(callerOf(1))).toBeDefined()
    expect(room.enter(callerOf(2))).toBeUndefined()
    expect(room.enter({ userId: undefined, signal: undefined })).toBeUndefined()
    expect(room.waitingCount).toBe(1)
  })

  it('makes nobody wait only because others hold all of it', () => {
    const { room, release } = createRoom()
    for (const user of [2, 3, 4, 5])
      for (let count = 0; count < 4; count++) room.hold(callerOf(user), reply)
    expect(room.enter(callerOf(6))).toBeUndefined()

    room.hold(callerOf(6), reply)
    expect(room.enter(callerOf(6))).toBeDefined()
    for (let count = 0; count < 4; count++) release()
    expect(room.enter(callerOf(1))).toBeUndefined()
  })

  it('refuses a caller who has disconnected before', async () => {
    const { room } = createRoom()
    await expect(room.enter(callerOf(1, AbortSignal.abort()))).rejects.toMatchObject({
      reason: 'CALL_ENDED',
    })
    expect(room.waitingCount).toBe(0)
  })

  it('counts no short replies', () => {
    const room = new ReplyRoom()
    expect(room.hold(callerOf(1), Buffer.alloc(1000))).toBeUndefined()
    expect(room.used).toBe(0)
  })

  it('begins the waiting reads in their order, one in a turn of the event loop, as replies are taken', async () => {
    const { room, release } = createRoom()
    const begun: number[] = []
    for (const read of [1, 2, 3])
      void room.enter(callerOf(1))?.then(() => {
        begun.push(read)
        room.hold(callerOf(1), reply)
      })
    await nextTurn()
    expect(begun).toEqual([])

    release()
    release()
    await nextTurn()
    expect(begun).toEqual([1])
    await nextTurn()
    expect(begun).toEqual([1, 2])
    await nextTurn()
    expect(begun).toEqual([1, 2])
    expect(room.used).toBe(4 * MIB)
  })

  it('does not begin a read whose caller has disconnected', async () => {
    const { room, release } = createRoom()
    const gone = new AbortController()
    const left = room.enter(callerOf(1, gone.signal))
    let hasBegun = false
    const next = room.enter(callerOf(1))?.then(() => (hasBegun = true))
    gone.abort()
    await expect(left).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    expect(hasBegun).toBe(false)

    release()
    await next
    expect(room.waitingCount).toBe(0)
  })
})
