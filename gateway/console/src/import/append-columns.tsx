import type { PreviewedColumn } from '@sheaf/client'
import type { ReactNode } from 'react'
import type { Column } from '../api/resources'
import { SelectField } from '../components/field'
import { columnName, isComputed } from '../formats/column'
import type { ColumnMapping, Destination } from './column-mapping'

const NEW = '+'
const NONE = '-'

interface AppendColumnsProps {
  readonly columns: readonly PreviewedColumn[]
  /** The columns of the table. */
  readonly targets: readonly Column[]
  readonly destinations: ReadonlyMap<string, Destination>
  readonly chosen: ColumnMapping
  readonly onChange: (chosen: ColumnMapping) => void
}

/** Where the columns of a file go in a table. */
export function AppendColumns(props: AppendColumnsProps): ReactNode {
  const { columns, targets, destinations, chosen, onChange } = props
  const writable = targets.filter((target) => !isComputed(target))
  const options = [
    ...writable.map((target) => [`=${target.id}`, columnName(target)] as const),
    [NEW, 'New column'] as const,
    [NONE, 'Leave out'] as const,
  ]
  return (
    <fieldset className="import-columns">
      <legend>Columns</legend>
      {columns.map(({ id, fields }) => (
        <SelectField
          key={id}
          label={`${fields.label || id} →`}
          value={toOption(destinations.get(id))}
          options={options}
          onChange={({ target }) => onChange({ ...chosen, [id]: fromOption(target.value) })}
        />
      ))}
    </fieldset>
  )
}

function toOption(destination: Destination = 'new'): string {
  if (typeof destination === 'object') return `=${destination.to}`
  return destination === 'new' ? NEW : NONE
}

function fromOption(option: string): Destination {
  if (option === NEW) return 'new'
  return option === NONE ? 'none' : { to: option.slice(1) }
}
