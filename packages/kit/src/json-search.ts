import { shorten } from './truncate-text'

/** What is wrong with a value of a decoded JSON text, or with the key (of a list, the index) that it has. */
export type JsonFault = (value: unknown, key: PropertyKey) => boolean

/** A list or object on the way to the value that is being visited; `next` counts the visited items. */
interface Level {
  readonly items: Readonly<Record<PropertyKey, unknown>>
  /** Undefined for a list, whose keys are its indexes. */
  readonly keys: readonly string[] | undefined
  readonly length: number
  next: number
}

/**
 * Path of the first value or key below `root` that has a fault. It makes no list of what is to be visited, since bodies
 * are large, and is iterative, since not every caller has bounded their nesting.
 */
export function findInJson(root: unknown, isFault: JsonFault): PropertyKey[] | undefined {
  const levels: Level[] = isCompound(root) ? [toLevel(root)] : []
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    if (level.next === level.length) {
      levels.pop()
      continue
    }
    const key = level.keys?.[level.next] ?? level.next
    level.next++
    const value = level.items[key]
    if (isFault(value, key)) return levels.map(({ keys, next }) => keys?.[next - 1] ?? next - 1)
    if (isCompound(value)) levels.push(toLevel(value))
  }
  return undefined
}

/** JSON has numbers that JavaScript reads as infinite, and writes as null: a value would become empty without a word. */
export const isInfinite: JsonFault = (value) => typeof value === 'number' && !Number.isFinite(value)

function isCompound(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function toLevel(value: object): Level {
  const keys = Array.isArray(value) ? undefined : Object.keys(value)
  const length = keys?.length ?? (value as unknown[]).length
  return { items: value as Level['items'], keys, length, next: 0 }
}

/** Steps at each end of a path that messages show. */
const SHOWN_STEPS = 6

/** A path as messages show it: `body.records[0].fields`; a long one without its middle. */
export function pathText(path: readonly PropertyKey[], root = 'body'): string {
  if (path.length <= 2 * SHOWN_STEPS) return `${root}${stepsText(path)}`
  const end = stepsText(path.slice(-SHOWN_STEPS))
  return `${root}${stepsText(path.slice(0, SHOWN_STEPS))}…${end}`
}

function stepsText(steps: readonly PropertyKey[]): string {
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${shorten(String(step))}`))
    .join('')
}
