import type { Column } from '../api/resources'

/** What a column says of how its cells look; keys that mean nothing here are kept. */
export type WidgetOptions = Readonly<Record<string, unknown>>

const MAX_READ = 1_000
const read = new Map<string, WidgetOptions>()

/** The widget options of a column; none where they cannot be read. */
export function widgetOptions({ fields }: Column): WidgetOptions {
  const { widgetOptions: text } = fields
  const known = read.get(text)
  if (known) return known
  if (read.size >= MAX_READ) read.clear()
  const options = readOptions(text)
  read.set(text, options)
  return options
}

/** The choices of a column, in their order. */
export const choicesOf = (column: Column): readonly string[] => readChoices(widgetOptions(column))

/** The choices in widget options, each once. */
export function readChoices({ choices }: WidgetOptions): readonly string[] {
  if (!Array.isArray(choices)) return []
  return [...new Set(choices.filter((choice) => typeof choice === 'string'))]
}

/** Widget options from the text that the API keeps. */
export function readOptions(text: string): WidgetOptions {
  try {
    const options = JSON.parse(text) as unknown
    return typeof options === 'object' && options !== null ? (options as WidgetOptions) : {}
  } catch {
    return {}
  }
}
