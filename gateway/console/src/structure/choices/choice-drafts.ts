import {
  hueOf,
  hues,
  readChoiceOptions,
  type ChoiceOptions,
  type Hue,
} from '../../formats/choice-style'
import { isSameValue } from '../../formats/value'
import { readChoices, withOption, type WidgetOptions } from '../../formats/widget-options'

/** A choice while it is edited. */
export interface ChoiceDraft {
  /** Stays the same when the choice is renamed or moved. */
  readonly key: number
  readonly name: string
  /** Its stored name; undefined for a new one. */
  readonly before?: string
  readonly options: ChoiceOptions
}

/** Returns the stored choices of a column, to be edited. */
export function choiceDrafts(options: WidgetOptions): readonly ChoiceDraft[] {
  const looks = readChoiceOptions(options)
  return readChoices(options).map((name, key) => ({
    key,
    name,
    before: name,
    options: Object.hasOwn(looks, name) ? (looks[name] ?? {}) : {},
  }))
}

/** Returns a choice with an offered colour, or without a colour. */
export function withHue(choice: ChoiceDraft, hue: Hue | undefined): ChoiceDraft {
  const filled = withOption(choice.options, 'fillColor', hue?.fillColor)
  return { ...choice, options: withOption(filled, 'textColor', hue?.textColor) }
}

/** Inserts choices at an index, each in the colour that the fewest of those before it have. */
export function insertChoices(
  choices: readonly ChoiceDraft[],
  index: number,
  names: readonly string[],
): readonly ChoiceDraft[] {
  const firstKey = choices.reduce((most, { key }) => Math.max(most, key), -1) + 1
  const counts = new Map(hues.map((hue): [Hue, number] => [hue, 0]))
  const countOf = (hue: Hue) => counts.get(hue) ?? 0
  const count = (hue: Hue) => counts.set(hue, countOf(hue) + 1)
  for (const { options } of choices) {
    const hue = hueOf(options)
    if (hue) count(hue)
  }
  const added = names.map((name, place) => {
    const hue = hues.reduce<Hue>(
      (least, next) => (countOf(next) < countOf(least) ? next : least),
      hues[0],
    )
    count(hue)
    return withHue({ key: firstKey + place, name, options: {} }, hue)
  })
  return [...choices.slice(0, index), ...added, ...choices.slice(index)]
}

/** Moves a choice to another index, as far as the list reaches. */
export function moveChoice(
  choices: readonly ChoiceDraft[],
  from: number,
  to: number,
): readonly ChoiceDraft[] {
  const moved = choices[from]
  if (!moved || to < 0 || to >= choices.length) return choices
  return choices.toSpliced(from, 1).toSpliced(to, 0, moved)
}

/** Returns the choices that are stored: with distinct names that are not empty. */
function namedChoices(choices: readonly ChoiceDraft[]): readonly ChoiceDraft[] {
  const named = new Map<string, ChoiceDraft>()
  for (const choice of choices) {
    const name = choice.name.trim()
    if (name !== '' && !named.has(name)) named.set(name, { ...choice, name })
  }
  return [...named.values()]
}

/** Returns widget options with edited choices. Unchanged parts stay as they are. */
export function withChoices(
  options: WidgetOptions,
  choices: readonly ChoiceDraft[],
): WidgetOptions {
  const named = namedChoices(choices)
  const names = named.map(({ name }) => name)
  const stored = readChoices(options)
  const known = new Set([...stored, ...names])
  const looks = readChoiceOptions(options)
  const kept = Object.entries(looks).filter(([name]) => !known.has(name))
  const own = named.map(({ name, options: look }) => [name, look] as const)
  const next = Object.fromEntries([...kept, ...own.filter(([, look]) => !isSameValue(look, {}))])
  const withNames = isSameValue(names, stored) ? options : { ...options, choices: names }
  return isSameLooks(next, looks) ? withNames : { ...withNames, choiceOptions: next }
}

const isSameLooks = (
  one: Readonly<Record<string, ChoiceOptions>>,
  other: Readonly<Record<string, ChoiceOptions>>,
): boolean => {
  const filled = Object.entries(other).filter(([, look]) => !isSameValue(look, {}))
  return (
    filled.length === Object.keys(one).length &&
    filled.every(([name, look]) => isSameValue(one[name], look))
  )
}

/** Returns the new names of stored choices that were renamed. */
export const renamedChoices = (choices: readonly ChoiceDraft[]): ReadonlyMap<string, string> =>
  new Map(
    choices.flatMap(({ before, name }): [string, string][] => {
      const next = name.trim()
      return before === undefined || next === '' || next === before ? [] : [[before, next]]
    }),
  )
