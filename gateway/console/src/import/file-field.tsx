import type { ReactNode } from 'react'
import { Field } from '../components/field'

interface FileFieldProps {
  readonly onFile: (file: File | undefined) => void
}

/** Asks for the file to import. */
export function FileField({ onFile }: FileFieldProps): ReactNode {
  return (
    <Field label="File" hint="CSV, TSV, XLSX, JSON, a Grist document, or a SQLite file.">
      {(control) => (
        <input
          type="file"
          {...control}
          accept=".csv,.tsv,.xlsx,.json,.grist,.sqlite,.sqlite3,.db"
          onChange={({ target }) => onFile(target.files?.[0])}
        />
      )}
    </Field>
  )
}
