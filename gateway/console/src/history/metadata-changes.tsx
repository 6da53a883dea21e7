import type { SchemaOperation } from '@sheaf/client'
import type { ReactNode } from 'react'
import { PlainTable } from '../components/plain-table'
import { shorten } from '../formats/shorten'
import { typeText } from '../structure/columns/column-types'

interface MetadataChangesProps {
  /** Names the change among others, for the label of the table. */
  readonly name: string
  readonly operations: readonly SchemaOperation[]
}

/** Maximum number of lines shown. */
const MAX_LINES = 60
/** Longer values are truncated. */
const MAX_CHARACTERS = 500

/** Changed properties of tables and columns. */
export function MetadataChanges({ name, operations }: MetadataChangesProps): ReactNode {
  const lines = operations.flatMap(linesOf)
  if (lines.length === 0) return null
  const more = lines.length - MAX_LINES
  return (
    <>
      <PlainTable
        headers={['Object', 'Property', 'Before', 'After']}
        label={`Structure in ${name}`}
        className="start changed"
      >
        {lines.slice(0, MAX_LINES).map(({ key, object, property, before, after }) => (
          <tr key={key}>
            <th scope="row">{object}</th>
            <td data-label="Property">{property}</td>
            <td data-label="Before" className="before">
              {before}
            </td>
            <td data-label="After" className="after">
              {after}
            </td>
          </tr>
        ))}
      </PlainTable>
      {more > 0 && <p className="note">{more.toLocaleString()} more not shown.</p>}
    </>
  )
}

interface Line {
  readonly key: string
  readonly object: string
  readonly property: string
  readonly before: string
  readonly after: string
}

function linesOf(operation: SchemaOperation, index: number): Line[] {
  const { tableId, colId, old = {}, new: after = {} } = operation
  const object = colId === undefined ? tableId : `${tableId}.${colId}`
  return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((property) => {
    const format = property === 'columns' ? formatColumns : formatProperty
    const line = { before: format(old[property]), after: format(after[property]) }
    return line.before === line.after
      ? []
      : [{ key: `${index} ${property}`, object, property, ...line }]
  })
}

/** Formats a property. Unset and default values are blank. */
function formatProperty(value: unknown): string {
  if (value === null || value === undefined || value === false || value === 0) return ''
  return shorten(typeof value === 'string' ? value : JSON.stringify(value), MAX_CHARACTERS)
}

/** Names the columns of an added or deleted table, with their types. */
function formatColumns(value: unknown): string {
  if (!Array.isArray(value)) return formatProperty(value)
  const columns = value as readonly { colId: string; label?: string; type?: string }[]
  const names = columns
    .filter(({ colId }) => colId !== 'manualSort')
    .map(({ colId, label, type = '' }) => `${label || colId} (${typeText(type)})`)
  return shorten(names.join(', '), MAX_CHARACTERS)
}
