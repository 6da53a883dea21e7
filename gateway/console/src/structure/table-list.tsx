import { useState, type ReactNode } from 'react'
import { NavLink, useLocation } from 'react-router'
import type { Table } from '../api/resources'
import { Button } from '../components/button'
import { Icon } from '../components/icon'
import { Menu } from '../components/overlays/menu'
import { leavePage } from '../components/use-leave-guard'
import { tableUrl } from '../document-context/document-context'
import { RemoveTableDialog } from './remove-table-dialog'
import { TableDialog } from './table-dialog'

interface TableListProps {
  readonly docId: string
  readonly tables: readonly Table[]
  /** The seq of the change as of which the tables are shown; undefined for the present. */
  readonly asOf: string | undefined
  /** True if the user can add, rename and delete tables. */
  readonly canEdit: boolean
  readonly onImport: () => void
  /** Called with the table while it is being renamed or deleted, then with undefined. */
  readonly onBusy: (tableId: string | undefined) => void
}

type OpenDialog =
  { readonly what: 'rename' | 'remove'; readonly table: Table } | { readonly what: 'add' }

/** The tables of a document, with menus to change them. */
export function TableList(props: TableListProps): ReactNode {
  const { docId, tables, asOf, canEdit, onImport, onBusy } = props
  const [open, setOpen] = useState<OpenDialog>()
  const close = () => setOpen(undefined)
  const { pathname } = useLocation()
  const openFor = (what: 'rename' | 'remove', table: Table) => {
    const show = () => setOpen({ what, table })
    // A table is not shown while it is renamed or deleted, nor is what is edited in it.
    if (pathname === tableUrl(docId, table.id)) leavePage(show)
    else show()
  }
  return (
    <>
      <nav className="tables" aria-label="Tables" tabIndex={-1}>
        <div className="tables-head">
          <h2>Tables</h2>
          {canEdit && (
            <Button kind="quiet" onClick={() => setOpen({ what: 'add' })}>
              Add table
            </Button>
          )}
          {canEdit && (
            <Button
              kind="quiet"
              className="icon"
              aria-label="Import a file"
              title="Import a file"
              onClick={onImport}
            >
              <Icon name="upload" />
            </Button>
          )}
        </div>
        <ul>
          {tables.map((table) => (
            <li key={table.fields.tableRef}>
              <NavLink to={tableUrl(docId, table.id, asOf)}>
                <Icon name="table" />
                <span>{table.id}</span>
              </NavLink>
              <Menu
                label={`More actions for table ${table.id}`}
                items={
                  canEdit
                    ? [
                        {
                          label: 'Rename',
                          onSelect: () => openFor('rename', table),
                        },
                        {
                          label: 'Delete',
                          isDanger: true,
                          onSelect: () => openFor('remove', table),
                        },
                      ]
                    : []
                }
              />
            </li>
          ))}
        </ul>
      </nav>
      {open?.what === 'add' && <TableDialog docId={docId} onClose={close} />}
      {open?.what === 'rename' && (
        <TableDialog docId={docId} table={open.table} onBusy={onBusy} onClose={close} />
      )}
      {open?.what === 'remove' && (
        <RemoveTableDialog docId={docId} table={open.table} onBusy={onBusy} onClose={close} />
      )}
    </>
  )
}
