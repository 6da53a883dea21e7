import { useState, type ReactNode } from 'react'
import { NavLink } from 'react-router'
import type { Table } from '../api/resources'
import { Button } from '../components/button'
import { Menu } from '../components/menu'
import { RemoveTableDialog } from './remove-table-dialog'
import { TableDialog } from './table-dialog'

interface TableListProps {
  readonly docId: string
  readonly tables: readonly Table[]
  /** True for who may add, rename and delete tables. */
  readonly canEdit: boolean
  /** Told of the table that is being renamed or deleted, and of nothing when that is over. */
  readonly onBusy: (tableId: string | undefined) => void
}

type Doing =
  { readonly what: 'rename' | 'remove'; readonly table: Table } | { readonly what: 'add' }

/** The tables of a document, and what can be done with them. */
export function TableList({ docId, tables, canEdit, onBusy }: TableListProps): ReactNode {
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  return (
    <>
      <nav className="tables" aria-label="Tables" tabIndex={-1}>
        <div className="tables-head">
          <h2>Tables</h2>
          {canEdit && (
            <Button kind="quiet" onClick={() => setDoing({ what: 'add' })}>
              Add table
            </Button>
          )}
        </div>
        <ul>
          {tables.map((table) => (
            <li key={table.fields.tableRef}>
              <NavLink to={`tables/${encodeURIComponent(table.id)}`}>{table.id}</NavLink>
              <Menu
                label={`More for table ${table.id}`}
                items={
                  canEdit
                    ? [
                        { label: 'Rename', onSelect: () => setDoing({ what: 'rename', table }) },
                        {
                          label: 'Delete',
                          isDanger: true,
                          onSelect: () => setDoing({ what: 'remove', table }),
                        },
                      ]
                    : []
                }
              />
            </li>
          ))}
        </ul>
      </nav>
      {doing?.what === 'add' && <TableDialog docId={docId} onClose={close} />}
      {doing?.what === 'rename' && (
        <TableDialog docId={docId} table={doing.table} onBusy={onBusy} onClose={close} />
      )}
      {doing?.what === 'remove' && (
        <RemoveTableDialog docId={docId} table={doing.table} onBusy={onBusy} onClose={close} />
      )}
    </>
  )
}
