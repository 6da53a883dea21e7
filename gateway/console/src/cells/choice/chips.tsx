import type { ICellRendererParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Row } from '../../api/resources'
import { listItems, formatValue } from '../../formats/value'

/** A list of short texts, displayed as chips. */
export function Chips({ items }: { readonly items: readonly string[] }): ReactNode {
  return (
    <span className="cell-chips">
      {items.map((item, index) => (
        <span key={`${index}-${item}`} className="cell-chip">
          {item}
        </span>
      ))}
    </span>
  )
}

/** A cell renderer that shows one or more choices as chips. */
export function ChipsCell({ value }: ICellRendererParams<Row, unknown>): ReactNode {
  const items = listItems(value)
  if (items) return <Chips items={items.map(formatValue)} />
  if (typeof value === 'string' && value !== '') return <Chips items={[value]} />
  return formatValue(value)
}
