import type { ICellRendererParams } from 'ag-grid-community'
import type { CSSProperties, ReactNode } from 'react'
import type { Row } from '../../api/resources'
import type { ChoiceStyle } from '../../formats/choice-style'
import { listItems, formatValue } from '../../formats/value'

/** How choices are drawn, by their text. */
export type ChipStyles = ReadonlyMap<string, ChoiceStyle>

const PLAIN: ChipStyles = new Map()

/** Returns the properties of CSS with the colours that are none of those offered. */
function ownColours({ own }: ChoiceStyle): CSSProperties | undefined {
  if (!own) return undefined
  const colours = {
    '--fill-light': own.light.fill,
    '--ink-light': own.light.ink,
    '--fill-dark': own.dark.fill,
    '--ink-dark': own.dark.ink,
  }
  return colours as CSSProperties
}

interface ChipProps {
  readonly text: string
  readonly style?: ChoiceStyle
}

/** A short text as a chip, in its colours. */
export function Chip({ text, style }: ChipProps): ReactNode {
  if (!style) return <span className="cell-chip">{text}</span>
  return (
    <span className={`cell-chip ${style.className}`} style={ownColours(style)}>
      {text}
    </span>
  )
}

interface ChipsProps {
  readonly items: readonly string[]
  readonly styles?: ChipStyles
}

/** A list of short texts, displayed as chips. */
export function Chips({ items, styles = PLAIN }: ChipsProps): ReactNode {
  return (
    <span className="cell-chips">
      {items.map((item, index) => (
        <Chip key={`${index}-${item}`} text={item} style={styles.get(item)} />
      ))}
    </span>
  )
}

/** A cell renderer that shows one or more choices as chips. */
export function ChipsCell(
  props: ICellRendererParams<Row, unknown> & { readonly styles: ChipStyles },
): ReactNode {
  const { value, styles } = props
  const items = listItems(value)
  if (items) return <Chips items={items.map(formatValue)} styles={styles} />
  if (typeof value === 'string' && value !== '') return <Chips items={[value]} styles={styles} />
  return formatValue(value)
}
