import type { Column } from '../../api/resources'
import { fieldText } from '../../formats/date'
import { formatValue } from '../../formats/value'
import { zoneOf } from '../../formats/time-zone'

/**
 * The texts of a loaded cell in which the API searches: one for each item of a list. What references and attachments show is
 * in other tables, so that references have their row ids here, if these are searched, and attachments nothing.
 */
export function cellTexts(value: unknown, { fields }: Column): readonly string[] {
  const { type, visibleCol } = fields
  const isElsewhere = type === 'Attachments' || (/^Ref/.test(type) && visibleCol !== 0)
  if (isElsewhere && typeof value !== 'string') return []
  if (typeof value !== 'number') return textsOf(value)
  switch (type.split(':')[0]) {
    case 'Bool':
      return []
    case 'Date':
      return dateTexts(value)
    case 'DateTime':
      return timeTexts(value, zoneOf(type))
    default:
      return [JSON.stringify(value)]
  }
}

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

/** Dates as the API has them, whatever the language of the browser shows. */
const dateTexts = (value: unknown): readonly string[] => {
  const text = fieldText(value, 'UTC')?.slice(0, 10)
  return text ? [text] : []
}

const timeTexts = (value: unknown, zone: string): readonly string[] => {
  const text = fieldText(value, zone)
  return text ? [text, text.replace('T', ' ')] : []
}

/** Whether a text contains another, ignoring case as the API does. */
export const hasText = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase())

/** Where a text contains another, ignoring case: pairs of start and end. */
export function findParts(text: string, part: string): readonly (readonly [number, number])[] {
  const wanted = part.toLowerCase()
  const { lower, places } = lowered(text)
  const found: [number, number][] = []
  if (wanted === '') return found
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
    found.push([places(at), places(at + wanted.length - 1, true)])
  return found
}

/** Text in lower case, which may be longer, with the places of its characters in the text. */
function lowered(text: string) {
  const lower = text.toLowerCase()
  if (lower.length === text.length)
    return { lower, places: (at: number, isEnd = false) => (isEnd ? at + 1 : at) }
  const starts: number[] = []
  let longer = ''
  let place = 0
  for (const character of text) {
    const small = character.toLowerCase()
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
