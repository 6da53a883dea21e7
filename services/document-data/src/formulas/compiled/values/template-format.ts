import { formatted } from './format-spec'
import { replaced } from './text-bounds'
import { needsPython, type Value } from './values'

const FIELD = /\{\{|\}\}|\{(\d{0,3})(?::([^{}]*))?\}|[{}]/g

/** `text.format(...values)` with fields by position. */
export function templateFormat(text: string, values: readonly Value[]): string {
  let next = 0
  let hasPlaces = false
  return replaced(text, FIELD, (all = '', place, spec = '') => {
    if (all === '{{' || all === '}}') return all.charAt(0)
    if (place === undefined) return needsPython()
    if (place !== '') hasPlaces = true
    const value = values[place === '' ? next++ : Number(place)]
    // Fields with and without places are an error, which is Python's.
    if (value === undefined || (hasPlaces && next > 0)) return needsPython()
    return formatted(value, spec)
  })
}
