import { useState, type ReactNode, type SyntheticEvent } from 'react'
import { Button } from '../components/button'
import { SelectField, TextField } from '../components/field'
import { useDocumentContext } from '../document-context/document-context'
import type { HistoryFilter } from './history-queries'

interface HistoryFiltersProps {
  readonly filter: HistoryFilter
  /** Error of the row field. */
  readonly rowError: string | undefined
  readonly onChange: (filter: Pick<HistoryFilter, 'table' | 'row'>) => void
}

/** Filters the history by table and row. */
export function HistoryFilters({ filter, rowError, onChange }: HistoryFiltersProps): ReactNode {
  const { tables } = useDocumentContext()
  const [row, setRow] = useState(filter.row)
  const known = tables.find(
    ({ id, fields }) => id === filter.table || String(fields.tableRef) === filter.table,
  )
  const table = known ? String(known.fields.tableRef) : filter.table
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    onChange({ table, row: row.trim() })
  }
  return (
    <form className="inline-form history-filters" onSubmit={submit}>
      <SelectField
        label="Table"
        value={table}
        options={[
          ['', 'All tables'],
          ...tables.map(({ id, fields }) => [String(fields.tableRef), id] as const),
          ...(table !== '' && !known ? [[table, `${table} (deleted)`] as const] : []),
        ]}
        onChange={({ target }) => onChange({ table: target.value, row: '' })}
      />
      <TextField
        label="Row"
        inputMode="numeric"
        placeholder="all"
        value={row}
        disabled={table === ''}
        error={rowError}
        onChange={({ target }) => setRow(target.value)}
      />
      <Button type="submit" disabled={table === ''}>
        Show
      </Button>
    </form>
  )
}
