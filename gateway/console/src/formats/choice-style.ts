import { darkened, isColour, readable, type FillAndInk } from './colour'
import { isObject, type WidgetOptions } from './widget-options'

/** The colours that are offered for choices, as they are stored. `tokens.css` has what is drawn for each. */
export const hues = [
  { name: 'red', fillColor: '#FBD7D3', textColor: '#7F1D17' },
  { name: 'orange', fillColor: '#FFDFC2', textColor: '#7A3A00' },
  { name: 'yellow', fillColor: '#FFF0B3', textColor: '#5F4A00' },
  { name: 'green', fillColor: '#D3EFD5', textColor: '#1B5A26' },
  { name: 'teal', fillColor: '#CBEFEC', textColor: '#0B5560' },
  { name: 'blue', fillColor: '#D6E4FF', textColor: '#1A4390' },
  { name: 'purple', fillColor: '#E7DCFB', textColor: '#532B94' },
  { name: 'pink', fillColor: '#FBD9EA', textColor: '#86184F' },
] as const

/** One of the colours that are offered for choices. */
export type Hue = (typeof hues)[number]

/** How a choice is stored to look: `fillColor`, `textColor`, `fontBold` and others. Unknown keys are preserved. */
export type ChoiceOptions = Readonly<Record<string, unknown>>

/** How a choice is drawn. */
export interface ChoiceStyle {
  readonly className: string
  /** Colours that are none of those offered, in the light and in the dark. */
  readonly own?: { readonly light: FillAndInk; readonly dark: FillAndInk }
}

/** The fill of a choice with a colour of its text alone. */
const NEUTRAL = '#E8E8E8'

const fonts = [
  ['fontBold', 'bold'],
  ['fontItalic', 'italic'],
  ['fontUnderline', 'underline'],
  ['fontStrikethrough', 'strike'],
] as const

/** Returns what is stored about the look of each choice of a column. */
export function readChoiceOptions({
  choiceOptions,
}: WidgetOptions): Readonly<Record<string, ChoiceOptions>> {
  if (!isObject(choiceOptions)) return {}
  return Object.fromEntries(
    Object.entries(choiceOptions).filter((entry): entry is [string, ChoiceOptions] =>
      isObject(entry[1]),
    ),
  )
}

/** Returns the offered colour that a choice has; undefined for another one, and for none. */
export const hueOf = ({ fillColor }: ChoiceOptions): Hue | undefined =>
  typeof fillColor === 'string'
    ? hues.find((hue) => hue.fillColor === fillColor.toUpperCase())
    : undefined

/** Returns how a choice with some options is drawn. */
export function choiceStyle(options: ChoiceOptions): ChoiceStyle {
  const { fillColor, textColor } = options
  const hue = hueOf(options)
  const hasOwn = hue === undefined && (isColour(fillColor) || isColour(textColor))
  const fill = isColour(fillColor) ? fillColor : NEUTRAL
  const classes = fonts.filter(([key]) => options[key] === true).map(([, name]) => name)
  const colour = hue ? [`hue-${hue.name}`] : hasOwn ? ['own-colour'] : []
  return {
    className: [...colour, ...classes].join(' '),
    ...(hasOwn && {
      own: {
        light: readable(fill, isColour(textColor) ? textColor : undefined),
        dark: darkened(fill),
      },
    }),
  }
}

/** Returns how each choice of a column with a look of its own is drawn. */
export const choiceStyles = (options: WidgetOptions): ReadonlyMap<string, ChoiceStyle> =>
  new Map(
    Object.entries(readChoiceOptions(options)).map(([choice, own]) => [choice, choiceStyle(own)]),
  )
