import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { docPath } from '../api/paths'
import { columnsQuery, type Table } from '../api/resources'
import { FormDialog } from '../components/overlays/dialog'
import { SelectField } from '../components/field'
import { ErrorNote } from '../components/states'
import { AppendColumns } from './append-columns'
import { destinationsOf, mappingOf, type ColumnMapping } from './column-mapping'
import { FileField } from './file-field'
import { PreviewPart } from './preview-part'
import { ProgressRoom } from './progress-room'
import { useFileImport } from './use-file-import'

/** What an import has added to a document. */
export interface ImportedTables {
  readonly tables: readonly { readonly id: string; readonly rows: number }[]
  /** Position of the change. */
  readonly seq: number
  /** What of the file was left out or changed. */
  readonly notes: readonly string[]
}

interface TableImportDialogProps {
  readonly docId: string
  readonly tables: readonly Table[]
  /** The file; by default the dialog asks for it. */
  readonly file?: File
  readonly onClose: () => void
  readonly onImported: (imported: ImportedTables) => void
}

/** Imports a file into a document: as new tables, or as rows of a table. */
export function TableImportDialog(props: TableImportDialogProps): ReactNode {
  const { docId, tables, file: given, onClose, onImported } = props
  const [target, setTarget] = useState('')
  const [chosen, setChosen] = useState<ColumnMapping>({})
  const of = useFileImport(given, `${docPath(docId)}/import`)
  const columns = useQuery({
    ...columnsQuery(docId, target),
    enabled: target !== '',
  })
  const { table } = of
  const destinations = destinationsOf(table?.columns, columns.data, chosen)
  const submit = async () => {
    const append = {
      table: target,
      source: table?.id,
      columns: mappingOf(destinations),
      unknownColumns: 'add',
    }
    const fields = target === '' ? [] : [['target', JSON.stringify(append)] as const]
    onImported(await of.run<ImportedTables>(fields))
  }
  return (
    <FormDialog
      className="import"
      title={given ? `Import “${given.name}”` : 'Import a file'}
      submit="Import"
      canSubmit={of.canImport && (target === '' || columns.data !== undefined)}
      onClose={onClose}
      onSubmit={submit}
    >
      {!given && (
        <FileField
          onFile={(file) => {
            of.chooseFile(file)
            setChosen({})
          }}
        />
      )}
      {of.file && <PreviewPart of={of} />}
      <TargetField
        tables={tables}
        count={of.reading.preview?.tables.length ?? 1}
        value={target}
        onChange={(next) => {
          setTarget(next)
          setChosen({})
        }}
      />
      <ErrorNote error={columns.error} />
      {table && columns.data && (
        <AppendColumns
          columns={table.columns}
          targets={columns.data}
          destinations={destinations}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      <ProgressRoom of={of} />
    </FormDialog>
  )
}

interface TargetFieldProps {
  readonly tables: readonly Table[]
  /** Number of tables of the file. */
  readonly count: number
  /** The table that rows are appended to; empty for new tables. */
  readonly value: string
  readonly onChange: (tableId: string) => void
}

function TargetField({ tables, count, value, onChange }: TargetFieldProps): ReactNode {
  return (
    <SelectField
      label="Import as"
      value={value}
      options={[
        ['', count > 1 ? 'New tables' : 'New table'],
        ...tables.map(({ id }) => [id, `Rows of ${id}`] as const),
      ]}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
