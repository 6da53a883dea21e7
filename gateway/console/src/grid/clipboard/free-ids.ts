const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Returns ids for new columns that are not taken, whatever their case: A, B, …, Z, A1, B1, … */
export function freeIds(taken: readonly string[], count: number): string[] {
  const known = new Set(taken.map((id) => id.toUpperCase()))
  const ids: string[] = []
  for (let number = 0; ids.length < count; number++) {
    const round = Math.floor(number / LETTERS.length)
    const id = LETTERS.charAt(number % LETTERS.length) + (round === 0 ? '' : String(round))
    if (!known.has(id)) ids.push(id)
  }
  return ids
}
