import type { PresentSession } from '@sheaf/client'
import { initialsOf, othersOf } from './people'

const session = (userId: number, tableId = 'Pets'): PresentSession => ({
  userId,
  name: `user ${userId}`,
  sessionId: `${userId} ${tableId}`,
  place: { tableId },
})
const huesSeenBy = (ownId: number, sessions: readonly PresentSession[]) =>
  Object.fromEntries(othersOf(sessions, ownId).map(({ userId, hue }) => [userId, hue]))

describe('the people in a document', () => {
  it('are the other users, each once, with the places of all their pages', () => {
    const sessions = [session(2), session(1), session(2, 'Toys'), session(1, 'Toys')]
    expect(othersOf(sessions, 1)).toEqual([
      expect.objectContaining({
        userId: 2,
        name: 'user 2',
        places: [{ tableId: 'Pets' }, { tableId: 'Toys' }],
      }),
    ])
    expect(othersOf(sessions, 2).map(({ userId }) => userId)).toEqual([1])
  })

  it('have the same colours for everyone, whatever the order of their arrival', () => {
    // The first two would have the same by their ids.
    const [one, two, three] = [session(3), session(11), session(4)]
    const forThird = huesSeenBy(4, [one, two, three])
    const forFirst = huesSeenBy(3, [three, two, one])
    expect(forFirst[11]).toBe(forThird[11])
    expect(forThird[3]).not.toBe(forThird[11])
  })

  it('have eight different colours, and after these some the same', () => {
    const sessions = Array.from({ length: 20 }, (_, index) => session(8 * index + 1))
    const hues = Object.values(huesSeenBy(0, sessions))
    expect(new Set(hues.slice(0, 8)).size).toBe(8)
    expect(hues).toHaveLength(20)
  })

  it('have a word in place of a name that is empty', () => {
    expect(othersOf([{ ...session(2), name: '' }], 1)[0]?.name).toBe('Someone')
  })

  it.each([
    ['Ada Lovelace', 'AL'],
    ['Ada King Lovelace', 'AL'],
    ['ada', 'A'],
    ['ada.lovelace', 'AL'],
    ['李 小龙', '李小'],
    ['𝒜da', '𝒜'],
    [' ', ''],
  ])('have of %j the initials %j', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })
})
