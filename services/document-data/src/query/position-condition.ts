import type { StoredValue } from '../values/column-type'
import type { Condition } from './allowed-values'
import type { KeyValue, Position } from './cursor'
import { HIGHEST, type OrderTerm } from './sort'
import { LEVEL, sortKey } from './sort-keys'

/** The rows on one side of a position in an order: those after it, or the others. */
export type Side = 'after' | 'upTo'

/**
 * The condition that a row is on this side of a position: decided by the first term in which it differs, so that keys of
 * later terms are made for few rows.
 */
export function positionCondition(
  terms: readonly OrderTerm[],
  position: Position,
  side: Side,
): Condition {
  let rest: Condition = { sql: side === 'after' ? '0' : '1', params: [] }
  for (let i = terms.length - 1; i >= 0; i--) {
    const term = terms[i]
    if (term) rest = termCondition(term, bound(position[i] ?? null), { side, rest })
  }
  return rest
}

/** An integer is bound as one, so that it is compared with row ids without conversion. */
export function bound(value: KeyValue): StoredValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}

function termCondition(
  term: OrderTerm,
  value: StoredValue,
  { side, rest }: { side: Side; rest: Condition },
): Condition {
  // Greater values are wanted after a position in ascending order.
  const wantsGreater = (side === 'after') !== term.descending
  const exact = (wantsGreater ? greaterCondition : lowerCondition)(term, value, rest)
  return term.text === undefined || typeof value !== 'string'
    ? exact
    : comparedFirst(term.text, value, { wantsGreater, exact })
}

/*
 * SQLite sorts null below all other values. The first comparison excludes most rows, so a term is rarely evaluated twice.
 */

function greaterCondition(
  { sql, params }: OrderTerm,
  value: StoredValue,
  rest: Condition,
): Condition {
  return value === null
    ? { sql: `(${sql} IS NOT NULL OR ${rest.sql})`, params: [...params, ...rest.params] }
    : {
        sql: `(${sql}>=? AND (${sql}>? OR ${rest.sql}))`,
        params: [...params, value, ...params, value, ...rest.params],
      }
}

function lowerCondition(
  { sql, params }: OrderTerm,
  value: StoredValue,
  rest: Condition,
): Condition {
  return value === null
    ? { sql: `(${sql} IS NULL AND ${rest.sql})`, params: [...params, ...rest.params] }
    : {
        sql: `((${sql}>?) IS NOT TRUE AND (${sql} IS NOT ? OR ${rest.sql}))`,
        params: [...params, value, ...params, value, ...rest.params],
      }
}

/** Makes no key of text whose first letters decide. Keys of ASCII text cost nothing. */
function comparedFirst(
  text: string,
  key: string,
  { wantsGreater, exact }: { wantsGreater: boolean; exact: Condition },
): Condition {
  const compared = `iif(octet_length(${text})<>length(${text}),sheaf_compare_key(${text},?),0)`
  const symbol = wantsGreater ? '>' : '<'
  const start = key.slice(0, COMPARED_UNITS)
  return {
    sql: `(${compared}${symbol}=0 AND (${compared}${symbol}0 OR ${exact.sql}))`,
    params: [start, start, ...exact.params],
  }
}

/** Units of a key that are compared with text; a key is copied for every row. */
const COMPARED_UNITS = 60

/** The last character of ASCII. */
const LAST_ASCII = 0x7f
/** The first character that has no meaning in keys. */
const FIRST_CHARACTER = LEVEL.charCodeAt(0) + 1

/**
 * Condition that a row is not certainly beyond the end of a page, without calling a function: among texts that begin
 * with a prefix, as most do in columns of similar names, the next character mostly tells. Undefined when it cannot tell.
 */
export function withinPrefix(
  { text, descending }: OrderTerm,
  key: KeyValue,
  prefix: string,
): Condition | undefined {
  if (text === undefined || typeof key !== 'string') return undefined
  const letters = sortKey(prefix)?.split(LEVEL, 1)[0] ?? ''
  // The lower case of a sigma depends on what follows.
  const isSpecial = /[σς]/.test(letters) || [...letters].some((letter) => letter <= LEVEL)
  if (!key.startsWith(letters) || isSpecial) return undefined
  const next = letters.length < key.length ? key.charCodeAt(letters.length) : 0
  const [low, high] = descending
    ? [FIRST_CHARACTER, Math.min(next - 1, LAST_ASCII)]
    : [Math.max(next + 1, FIRST_CHARACTER), LAST_ASCII]
  if (low > high) return undefined
  const character = `lower(substr(${text},${[...prefix].length + 1},1))`
  const isBeyond = `${text}>=? AND ${text}<? AND ${character} BETWEEN char(${low}) AND char(${high})`
  return { sql: `(${isBeyond}) IS NOT TRUE`, params: [prefix, prefix + HIGHEST] }
}
