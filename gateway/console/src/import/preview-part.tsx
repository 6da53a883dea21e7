import type { ImportPreview, PreviewedTable } from '@sheaf/client'
import type { ReactNode } from 'react'
import { SelectField } from '../components/field'
import { ErrorNote } from '../components/states'
import { changeOptions, chooseType } from './import-options'
import { PreviewRows } from './preview-rows'
import { ReadControls } from './read-controls'
import type { FileImport } from './use-file-import'

/** What a file becomes, with controls of how it is read. */
export function PreviewPart({ of }: { readonly of: FileImport }): ReactNode {
  const { preview, error, isLoading, sent } = of.reading
  return (
    <section aria-label="Preview">
      {preview && <PreviewedFile of={of} preview={preview} />}
      {!preview && isLoading && (
        <div className="progress-room" role="status">
          <progress aria-label="Preview" value={sent < 1 ? sent : undefined} max={1} />
          <p className="note">Reading the file…</p>
        </div>
      )}
      <ErrorNote error={error} />
    </section>
  )
}

interface PreviewedFileProps {
  readonly of: FileImport
  readonly preview: ImportPreview
}

function PreviewedFile({ of, preview }: PreviewedFileProps): ReactNode {
  const { options, setOptions, table, showTable } = of
  const { format, tables, notes } = preview
  const hasTypes = format === 'sheaf' || format === 'grist'
  const onType = (column: string, type: string) => {
    if (table) setOptions(chooseType(options, { table: table.id, column }, type))
  }
  return (
    <>
      <ReadControls
        used={{ ...preview.options, ...options }}
        onChange={(change) => setOptions(changeOptions(options, change))}
      />
      {tables.length > 1 && (
        <SelectField
          label="Table of the file"
          value={table?.id}
          options={tables.map(({ id }) => [id, id] as const)}
          onChange={({ target }) => showTable(target.value)}
        />
      )}
      {table && (
        <>
          <p className="note" role="status">
            {describe(preview, table)}
          </p>
          <PreviewRows
            table={table}
            isLoading={of.reading.isLoading}
            onType={hasTypes ? undefined : onType}
          />
        </>
      )}
      {notes.length > 0 && <Notes notes={notes} />}
    </>
  )
}

function describe({ hasMore }: ImportPreview, { rows, records }: PreviewedTable): string {
  const first = `first ${records.length.toLocaleString()}`
  if (hasMore)
    return `More than ${rows.toLocaleString()} rows. The ${first} are shown; types follow from the beginning of the file.`
  const count = `${rows.toLocaleString()} ${rows === 1 ? 'row' : 'rows'}`
  return records.length < rows ? `${count}. The ${first} are shown.` : `${count}.`
}

function Notes({ notes }: { readonly notes: readonly string[] }): ReactNode {
  return (
    <details>
      <summary>Not everything in the file can be imported as it is ({notes.length})</summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  )
}
