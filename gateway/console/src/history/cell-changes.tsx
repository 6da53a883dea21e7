import { useQueries } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { type Column, columnsQuery } from '../api/resources'
import { useCellText } from '../cells/reference/use-labels'
import { Button } from '../components/button'
import { PlainTable } from '../components/plain-table'
import { historyUrl, rowUrl, useDocumentContext } from '../document-context/document-context'
import { anyText } from '../formats/any-value'
import { shorten } from '../formats/shorten'
import { firstCells, VIEWS_REF, type CellChange } from './changed-cells'
import type { Operation } from './history-queries'
import { useColumnsOf, useNamedView, useRowLabel } from './use-names'
import { settingName, settingText } from './view-text'

interface CellChangesProps {
  /** Names the change among others, for the label of the table. */
  readonly name: string
  readonly operations: readonly Operation[]
}

/** Cells shown initially; “Show more” adds five times as many. */
const INITIAL_CELLS = 40

/** The cells of a change, before and after. */
export function CellChanges({ name, operations }: CellChangesProps): ReactNode {
  const [limit, setLimit] = useState(INITIAL_CELLS)
  const { cells, count } = firstCells(operations, limit)
  const columns = useColumns(cells)
  if (count === 0) return null
  const more = count - cells.length
  return (
    <>
      <PlainTable
        headers={['Row', 'Column', 'Before', 'After']}
        label={`Cells of ${name}`}
        className="start changed"
      >
        {cells.map((cell, index) =>
          // A change can contain the same cell twice.
          cell.tableRef === VIEWS_REF ? (
            <SettingRow key={index} cell={cell} operations={operations} />
          ) : (
            <CellRow
              key={index}
              cell={cell}
              column={columns.get(cell.colRef)}
              operations={operations}
            />
          ),
        )}
      </PlainTable>
      {more > 0 && (
        <p className="more">
          <span className="note">{more.toLocaleString()} more cells not shown.</span>{' '}
          <Button onClick={() => setLimit(limit + 5 * INITIAL_CELLS)}>Show more cells</Button>
        </p>
      )}
    </>
  )
}

interface CellRowProps {
  readonly cell: CellChange
  readonly column: Column | undefined
  readonly operations: readonly Operation[]
}

function CellRow({ cell, column, operations }: CellRowProps): ReactNode {
  return (
    <tr>
      <th scope="row">
        <RowName cell={cell} operations={operations} />
      </th>
      <td data-label="Column">{column?.fields.label || cell.colId}</td>
      <td data-label="Before" className="before">
        {'old' in cell && <Value value={cell.old} column={column} />}
      </td>
      <td data-label="After" className="after">
        {'new' in cell && <Value value={cell.new} column={column} />}
      </td>
    </tr>
  )
}

/** A setting of a view. */
function SettingRow({ cell, operations }: Omit<CellRowProps, 'column'>): ReactNode {
  const { name, table } = useNamedView(cell, operations)
  const columns = useColumnsOf(table)
  const draw = (value: unknown) => <Text text={settingText(cell.colId, value, columns)} />
  return (
    <tr>
      <th scope="row">
        {`View ${name === '' ? cell.rowId : `“${name}”`}`}
        {table && <span className="row-id">{`of ${table.id}`}</span>}
      </th>
      <td data-label="Column">{settingName(cell.colId)}</td>
      <td data-label="Before" className="before">
        {'old' in cell && draw(cell.old)}
      </td>
      <td data-label="After" className="after">
        {'new' in cell && draw(cell.new)}
      </td>
    </tr>
  )
}

/** A row by its label, which opens it, and by its table and id, with its history. */
function RowName({ cell, operations }: Omit<CellRowProps, 'column'>): ReactNode {
  const { docId, asOf } = useDocumentContext()
  const { tableId, tableRef, rowId } = cell
  const { table, label } = useRowLabel(tableRef > 0 ? cell : undefined, operations)
  const id = `${tableId}, row ${rowId}`
  if (tableRef <= 0) return id
  return (
    <>
      {table && (
        <Link to={rowUrl(docId, table.id, rowId, asOf)} title="Open this row">
          {label || 'Unnamed row'}
        </Link>
      )}
      <span className="row-id">
        <Link to={historyUrl(docId, tableRef, rowId)} title="History of this row">
          {id}
        </Link>
      </span>
    </>
  )
}

interface ValueProps {
  readonly value: unknown
  readonly column: Column | undefined
}

/** Longer values are truncated. */
const MAX_CHARACTERS = 500

function Value({ value, column }: ValueProps): ReactNode {
  const cellText = useCellText(value, column, useDocumentContext())
  return <Text text={column ? cellText : anyText(value)} />
}

function Text({ text }: { readonly text: string }): ReactNode {
  return text === '' ? <span className="note">empty</span> : shorten(text, MAX_CHARACTERS)
}

/** Returns the columns of cells at the shown moment, by column ref. */
function useColumns(cells: readonly CellChange[]): ReadonlyMap<number, Column> {
  const { docId, tables, asOf } = useDocumentContext()
  const refs = new Set(cells.map(({ tableRef }) => tableRef))
  const shown = tables.filter(({ fields }) => refs.has(fields.tableRef))
  const found = useQueries({ queries: shown.map(({ id }) => columnsQuery(docId, id, asOf)) })
  const columns = found.flatMap(({ data = [] }) => data)
  return new Map(columns.map((column) => [column.fields.colRef, column]))
}
