import type { Column } from '../api/resources'

/** Display options of a column. Unknown keys are preserved. */
export type WidgetOptions = Readonly<Record<string, unknown>>

const MAX_CACHED = 1_000
const cache = new Map<string, WidgetOptions>()

/** Returns the widget options of a column; empty if they are invalid. */
export function widgetOptions({ fields }: Column): WidgetOptions {
  const { widgetOptions: text } = fields
  const known = cache.get(text)
  if (known) return known
  if (cache.size >= MAX_CACHED) cache.clear()
  const options = readOptions(text)
  cache.set(text, options)
  return options
}

/** Returns the choices of a column, in order. */
export const choicesOf = (column: Column): readonly string[] => readChoices(widgetOptions(column))

/** Returns the distinct choices in widget options. */
export function readChoices({ choices }: WidgetOptions): readonly string[] {
  if (!Array.isArray(choices)) return []
  return [...new Set(choices.filter((choice) => typeof choice === 'string'))]
}

/** True for an object with keys: no list, and not null. */
export const isObject = (value: unknown): value is WidgetOptions =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns options with one of them changed; undefined removes it. */
export function withOption(options: WidgetOptions, key: string, value: unknown): WidgetOptions {
  if (value !== undefined) return { ...options, [key]: value }
  return Object.fromEntries(Object.entries(options).filter(([other]) => other !== key))
}

/** Parses widget options. Returns empty options for invalid text. */
export function readOptions(text: string): WidgetOptions {
  try {
    const options = JSON.parse(text) as unknown
    return isObject(options) ? options : {}
  } catch {
    return {}
  }
}
