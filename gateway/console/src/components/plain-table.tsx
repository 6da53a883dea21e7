import type { ReactNode } from 'react'

interface PlainTableProps {
  /** What each column holds; empty for the buttons of the rows. */
  readonly heads: readonly string[]
  /** Its name for those who hear the page, where it may be too long or too wide to be seen whole: keys scroll it then. */
  readonly label?: string
  readonly className?: string
  /** Its rows. Each cell names its column in `data-label`, since they stand below each other on a phone. */
  readonly children: ReactNode
}

/** A list whose items have the same few facts. */
export function PlainTable(props: PlainTableProps): ReactNode {
  const { heads, label, className = '', children } = props
  const region = label === undefined ? {} : { tabIndex: 0, role: 'region', 'aria-label': label }
  return (
    <div className="table-scroll" {...region}>
      <table className={`plain-table stacks ${className}`}>
        <thead>
          <tr>
            {heads.map((head) =>
              head === '' ? (
                <td key={head} />
              ) : (
                <th key={head} scope="col">
                  {head}
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
