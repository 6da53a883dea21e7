import type { PreviewedColumn, PreviewedTable } from '@sheaf/client'
import type { ReactNode } from 'react'
import { formatCell } from '../formats/cell'
import { sampleColumnOf } from '../formats/column'
import { typeNames } from '../formats/type-names'

/** Columns that are shown. */
const MAX_COLUMNS = 100
/** Types that a column can get instead of the detected one. */
const choosable = typeNames.filter(([type]) => !['Ref', 'RefList', 'Attachments'].includes(type))

interface PreviewRowsProps {
  readonly table: PreviewedTable
  readonly isLoading: boolean
  /** Called with the type chosen for a column; absent if the file determines the types. */
  readonly onType: ((columnId: string, type: string) => void) | undefined
}

/** The first rows of a table of a file, below the names and types of its columns. */
export function PreviewRows({ table, isLoading, onType }: PreviewRowsProps): ReactNode {
  const columns = table.columns.slice(0, MAX_COLUMNS)
  const { length: count } = table.columns
  const samples = columns.map(({ fields }) => sampleColumnOf(fields.type, fields.widgetOptions))
  return (
    <>
      <div
        className="import-rows"
        tabIndex={0}
        role="region"
        aria-label={`First rows of ${table.id}`}
        aria-busy={isLoading}
      >
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.id} scope="col" className={isAtEnd(column) ? 'cell-end' : ''}>
                  <span title={nameOf(column)}>{nameOf(column)}</span>
                  <ColumnTypeControl column={column} onType={onType} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.records.map(({ id, fields }) => (
              <tr key={id}>
                {columns.map((column, index) => {
                  const value = fields[column.id]
                  return (
                    <td key={column.id} className={typeof value === 'number' ? 'cell-end' : ''}>
                      {formatCell(value, samples[index] ?? sampleColumnOf('Any'))}
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {count > MAX_COLUMNS && (
        <p className="note">
          Showing the first {MAX_COLUMNS} of {count.toLocaleString()} columns.
        </p>
      )}
    </>
  )
}

/** Whether most values of a column are numbers for the API, which are shown at the end of their cells. */
const isAtEnd = ({ fields }: PreviewedColumn): boolean =>
  /^(Numeric|Int|Date|DateTime)(:|$)/.test(fields.type)

const nameOf = ({ id, fields }: PreviewedColumn): string => fields.label || id

function ColumnTypeControl(props: {
  readonly column: PreviewedColumn
  readonly onType: PreviewRowsProps['onType']
}): ReactNode {
  const { column, onType } = props
  const [type = ''] = column.fields.type.split(':')
  const known = typeNames.find(([name]) => name === type)?.[1] ?? type
  const isChoosable = choosable.some(([name]) => name === type)
  if (!onType || !isChoosable) return <span className="note">{known}</span>
  return (
    <select
      aria-label={`Type of ${nameOf(column)}`}
      value={type}
      onChange={({ target }) => onType(column.id, target.value)}
    >
      {choosable.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  )
}
