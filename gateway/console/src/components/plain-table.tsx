import type { ReactNode } from 'react'

interface PlainTableProps {
  /** Column headers; empty for a column of buttons. */
  readonly headers: readonly string[]
  /** Accessible name of a table that may overflow. Such a table can be scrolled with the keyboard. */
  readonly label?: string
  readonly className?: string
  /** The rows. Each cell names its column in `data-label`, which narrow screens show instead of headers. */
  readonly children: ReactNode
}

/** A table of a list with few columns. */
export function PlainTable(props: PlainTableProps): ReactNode {
  const { headers, label, className = '', children } = props
  const region = label === undefined ? {} : { tabIndex: 0, role: 'region', 'aria-label': label }
  return (
    <div className="table-scroll" {...region}>
      <table className={`plain-table stacks ${className}`}>
        <thead>
          <tr>
            {headers.map((header) =>
              header === '' ? (
                <td key={header} />
              ) : (
                <th key={header} scope="col">
                  {header}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
