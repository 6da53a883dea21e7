import type { SchemaOperation } from '@sheaf/client'
import type { ReactNode } from 'react'
import { PlainTable } from '../components/plain-table'

interface MetadataChangesProps {
  readonly operations: readonly SchemaOperation[]
}

/** Maximum number of lines shown. */
const MAX_LINES = 60

/** Changed properties of tables and columns. */
export function MetadataChanges({ operations }: MetadataChangesProps): ReactNode {
  const lines = operations.flatMap(linesOf)
  if (lines.length === 0) return null
  const more = lines.length - MAX_LINES
  return (
    <>
      <PlainTable
        headers={['Object', 'Property', 'Before', 'After']}
        label="Structure"
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
    const line = { before: formatProperty(old[property]), after: formatProperty(after[property]) }
    return line.before === line.after
      ? []
      : [{ key: `${index} ${property}`, object, property, ...line }]
  })
}

/** Formats a property. Unset and default values are blank. */
function formatProperty(value: unknown): string {
  if (value === null || value === undefined || value === false || value === 0) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
