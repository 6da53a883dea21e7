import type { ReactNode } from 'react'
import { PlainTable } from '../components/plain-table'
import type { SchemaOperation } from './history-queries'

interface MetadataChangesProps {
  readonly operations: readonly SchemaOperation[]
}

/** So many lines are shown. */
const MAX_LINES = 60

/** What became other in tables and columns themselves. */
export function MetadataChanges({ operations }: MetadataChangesProps): ReactNode {
  const lines = operations.flatMap(linesOf)
  if (lines.length === 0) return null
  const more = lines.length - MAX_LINES
  return (
    <>
      <PlainTable
        heads={['Of', 'What', 'Before', 'After']}
        label="Structure"
        className="start changed"
      >
        {lines.slice(0, MAX_LINES).map(({ key, of, what, before, after }) => (
          <tr key={key}>
            <th scope="row">{of}</th>
            <td data-label="What">{what}</td>
            <td data-label="Before" className="before">
              {before}
            </td>
            <td data-label="After" className="after">
              {after}
            </td>
          </tr>
        ))}
      </PlainTable>
      {more > 0 && <p className="note">{more.toLocaleString()} more are not shown.</p>}
    </>
  )
}

interface Line {
  readonly key: string
  readonly of: string
  readonly what: string
  readonly before: string
  readonly after: string
}

function linesOf(operation: SchemaOperation, index: number): Line[] {
  const { tableId, colId, old = {}, new: after = {} } = operation
  const of = colId === undefined ? tableId : `${tableId}.${colId}`
  return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((what) => {
    const line = { before: showMetadata(old[what]), after: showMetadata(after[what]) }
    return line.before === line.after ? [] : [{ key: `${index} ${what}`, of, what, ...line }]
  })
}

/** What is not set is left blank, and so is what nobody has chosen. */
function showMetadata(value: unknown): string {
  if (value === null || value === undefined || value === false || value === 0) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
