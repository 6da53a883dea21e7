import { useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import type { Table } from '../api/resources'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { focusBeside } from '../components/focus-beside'
import { FormDialog, NameDialog } from '../components/overlays/dialog'
import { TextField } from '../components/field'
import { useIsShown } from '../components/use-is-shown'
import { leavePage } from '../components/use-leave-guard'
import { tableUrl } from '../document-context/document-context'
import { typeNames } from '../formats/type-names'
import { newDraft, newFields } from './columns/column-types'

interface TableDialogProps {
  readonly docId: string
  /** The table to rename; undefined to add one. */
  readonly table?: Table
  /** Called with the table while it is being renamed, then with undefined. */
  readonly onBusy?: (tableId: string | undefined) => void
  readonly onClose: () => void
}

/** Adds a table with initial columns, or renames one; its page follows. */
export function TableDialog({ table, ...props }: TableDialogProps): ReactNode {
  return table ? <RenameTable table={table} {...props} /> : <AddTable {...props} />
}

function RenameTable(props: TableDialogProps & { readonly table: Table }): ReactNode {
  const { docId, table, onBusy = () => {}, onClose } = props
  const { mutate } = useApiMutation(['document', docId])
  const rename = async (name: string) => {
    onBusy(table.id)
    await docOf(docId).updateTables([{ id: table.id, fields: { tableId: name } }])
  }
  return (
    <NameDialog
      title={`Rename table “${table.id}”`}
      submit="Rename"
      initial={table.id}
      onClose={onClose}
      onName={(name) => mutate(() => rename(name)).finally(() => onBusy(undefined))}
    />
  )
}

interface FirstColumn {
  readonly key: number
  readonly label: string
  readonly type: string
}

/** Types that need no further options. */
const firstTypes = typeNames.filter(([type]) => !['Ref', 'RefList'].includes(type))
const firstColumns: readonly FirstColumn[] = [{ key: 1, label: 'Name', type: 'Text' }]

function AddTable({ docId, onClose }: TableDialogProps): ReactNode {
  const [name, setName] = useState('')
  const [columns, setColumns] = useState(firstColumns)
  const navigate = useNavigate()
  const isShown = useIsShown()
  const { mutate } = useApiMutation(['document', docId])
  const named = columns.filter(({ label }) => label.trim() !== '')
  const add = async () => {
    const id = await mutate(() => addTable(docId, name.trim(), named))
    if (isShown()) leavePage(() => void navigate(tableUrl(docId, id)))
  }
  return (
    <FormDialog
      title="Add table"
      submit="Add table"
      canSubmit={name.trim() !== '' && named.length > 0}
      onClose={onClose}
      onSubmit={add}
    >
      <TextField
        label="Name"
        hint="Also the id of the table in the API. Characters other than letters, digits and _ are replaced."
        value={name}
        required
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
      <fieldset>
        <legend>Columns</legend>
        <ul className="first-columns">
          {columns.map((column, index) => (
            <FirstColumnRow
              key={column.key}
              column={column}
              name={`column ${index + 1}`}
              onChange={(changed) => setColumns(columns.with(index, changed))}
              onRemove={() => setColumns(columns.filter((other) => other !== column))}
            />
          ))}
        </ul>
        <Button
          onClick={() =>
            setColumns([
              ...columns,
              { key: (columns.at(-1)?.key ?? 0) + 1, label: '', type: 'Text' },
            ])
          }
        >
          Add column
        </Button>
      </fieldset>
    </FormDialog>
  )
}

async function addTable(
  docId: string,
  id: string,
  columns: readonly FirstColumn[],
): Promise<string> {
  const fields = columns.map(({ label, type }) => newFields({ ...newDraft(), label, type }))
  const table = { id, columns: fields.map((field) => ({ id: field.label, fields: field })) }
  const [added = id] = await docOf(docId).addTables([table])
  return added
}

interface FirstColumnRowProps {
  readonly column: FirstColumn
  readonly name: string
  readonly onChange: (column: FirstColumn) => void
  readonly onRemove: () => void
}

function FirstColumnRow({ column, name, onChange, onRemove }: FirstColumnRowProps): ReactNode {
  return (
    <li>
      <input
        type="text"
        autoComplete="off"
        maxLength={256}
        aria-label={`Label of ${name}`}
        value={column.label}
        onChange={({ target }) => onChange({ ...column, label: target.value })}
      />
      <select
        aria-label={`Type of ${name}`}
        value={column.type}
        onChange={({ target }) => onChange({ ...column, type: target.value })}
      >
        {firstTypes.map(([type, text]) => (
          <option key={type} value={type}>
            {text}
          </option>
        ))}
      </select>
      <Button
        kind="quiet"
        className="icon"
        aria-label={`Remove ${name}`}
        onClick={({ currentTarget }) => {
          focusBeside(currentTarget, '.first-columns + button')
          onRemove()
        }}
      >
        ✕
      </Button>
    </li>
  )
}
