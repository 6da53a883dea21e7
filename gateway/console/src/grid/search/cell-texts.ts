import type { Column, Row } from '../../api/resources'
import { formatCell } from '../../formats/cell'
import { fieldText } from '../../formats/date'
import { formatValue } from '../../formats/value'
import { zoneOf } from '../../formats/time-zone'

/**
 * The texts of a loaded cell in which the API searches: one for each item of a list; for numbers and dates what is shown and the
 * plain form. What references and attachments show is in other tables: references have their row ids here, if these are searched,
 * and attachments nothing.
 */
export function cellTexts(value: unknown, column: Column): readonly string[] {
  const { type, visibleCol } = column.fields
  const isElsewhere = type === 'Attachments' || (/^Ref/.test(type) && visibleCol !== 0)
  if (isElsewhere && typeof value !== 'string') return []
  if (typeof value !== 'number') return textsOf(value)
  switch (type.split(':')[0]) {
    case 'Bool':
      return []
    case 'Date':
      return withShown(dateTexts(value), value, column)
    case 'DateTime':
      return withShown(timeTexts(value, zoneOf(type)), value, column)
    case 'Numeric':
    case 'Int':
      return withShown([JSON.stringify(value)], value, column)
    default:
      return [JSON.stringify(value)]
  }
}

const withShown = (texts: readonly string[], value: number, column: Column) => [
  ...new Set([...texts, formatCell(value, column)]),
]

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [JSON.stringify(value)]
  if (!Array.isArray(value)) return []
  const [code, first, second] = value as unknown[]
  switch (code) {
    case 'L':
      return value.slice(1).flatMap(textsOf)
    case 'E':
    case 'P':
      return []
    case 'd':
      return dateTexts(first)
    case 'D':
      return timeTexts(first, String(second))
    default:
      return [formatValue(value)]
  }
}

/** Dates as in CSV answers of the API, whatever the language of the browser shows. */
const dateTexts = (value: unknown): readonly string[] => {
  const text = fieldText(value, 'UTC')?.slice(0, 10)
  return text ? [text] : []
}

const timeTexts = (value: unknown, zone: string): readonly string[] => {
  const text = fieldText(value, zone)
  return text ? [text.replace('T', ' ')] : []
}

/** Ignores what the API ignores: case, and which space or minus a language writes in numbers and dates. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[\u061c\u200e\u200f]/g, '')
    .replace(/[\u00a0\u2007\u2009\u202f]/g, ' ')
    .replaceAll('\u2212', '-')

/** Whether a text contains another, as the API searches. */
export const hasText = (text: string, part: string): boolean => fold(text).includes(fold(part))

/** Whether the cell of a row contains a text, as far as the row tells. */
export const cellHasText = (row: Row | undefined, column: Column, part: string): boolean =>
  cellTexts(row?.fields[column.id], column).some((text) => hasText(text, part))

/** Where a text contains another: pairs of start and end. */
export function findParts(text: string, part: string): readonly (readonly [number, number])[] {
  const wanted = fold(part)
  const { lower, places } = lowered(text)
  const found: [number, number][] = []
  if (wanted === '') return found
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
    found.push([places(at), places(at + wanted.length - 1, true)])
  return found
}

/** Folded text, which may have another length, with the places of its characters in the text. */
function lowered(text: string) {
  const lower = fold(text)
  if (lower.length === text.length)
    return { lower, places: (at: number, isEnd = false) => (isEnd ? at + 1 : at) }
  const starts: number[] = []
  let longer = ''
  let place = 0
  for (const character of text) {
    const small = fold(character)
    for (let at = 0; at < small.length; at++) starts.push(place)
    longer += small
    place += character.length
  }
  const places = (at: number, isEnd = false) => {
    const start = starts[at] ?? place
    if (!isEnd) return start
    return starts.find((next) => next > start) ?? place
  }
  return { lower: longer, places }
}
