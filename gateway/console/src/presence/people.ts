import type { PresencePlace, PresentSession } from '@sheaf/client'
import { hues, type Hue } from '../formats/choice-style'

/** Another user who has the document open, in one page or several. */
export interface Person {
  readonly userId: number
  readonly name: string
  readonly hue: Hue['name']
  /** Where the pages of the user are, those that were opened first first. */
  readonly places: readonly PresencePlace[]
}

/** Returns the users of sessions in the order of their arrival, without the user of this page. */
export function othersOf(sessions: readonly PresentSession[], ownId: number): readonly Person[] {
  const hueOf = huesOf(sessions)
  const people = new Map<number, Person>()
  for (const { userId, name, place } of sessions) {
    if (userId === ownId) continue
    const places = [...(people.get(userId)?.places ?? []), place]
    people.set(userId, { userId, name: name || 'Someone', hue: hueOf(userId), places })
  }
  return [...people.values()]
}

/**
 * Returns the colour of each user, which is the same for everyone who sees them: by their id, or the next one that is free. Beyond
 * eight users some have the same.
 */
function huesOf(sessions: readonly PresentSession[]): (userId: number) => Hue['name'] {
  const taken = new Map<number, number>()
  const userIds = [...new Set(sessions.map(({ userId }) => userId))].sort((a, b) => a - b)
  for (const userId of userIds) {
    const used = new Set(taken.size < hues.length ? taken.values() : [])
    let index = userId % hues.length
    while (used.has(index)) index = (index + 1) % hues.length
    taken.set(userId, index)
  }
  return (userId) => (hues[taken.get(userId) ?? 0] ?? hues[0]).name
}

/** Returns the initials of a name: of its first word and its last one. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s.]+/).filter((word) => word !== '')
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word = '') => [...word][0]?.toUpperCase() ?? '').join('')
}

/** True if two places are the same. */
export const isSamePlace = (one: PresencePlace, other: PresencePlace): boolean =>
  one.tableId === other.tableId && one.rowId === other.rowId && one.colId === other.colId
