import type { ReactNode } from 'react'
import { partDone, type ImportProgress } from './import-file'
import { countRows } from './import-options'
import type { FileImport } from './use-file-import'

/** The progress of an import, in a space that is reserved, so that the layout does not shift. */
export function ProgressRoom({ of }: { readonly of: FileImport }): ReactNode {
  const { progress, reading } = of
  const total = reading.preview && countRows(reading.preview)
  return (
    <div className="progress-room" role="status">
      {progress && <Progress progress={progress} total={total} />}
    </div>
  )
}

interface ProgressProps {
  readonly progress: ImportProgress
  /** Number of rows, if it is known. */
  readonly total: number | undefined
}

function Progress({ progress, total }: ProgressProps): ReactNode {
  return (
    <>
      <progress aria-label="Import" value={partDone(progress, total)} max={1} />
      <p className="note">{progressText(progress, total)}</p>
    </>
  )
}

function progressText({ sent, rows }: ImportProgress, total: number | undefined): string {
  if (sent < 1) return `${Math.round(sent * 100)}% uploaded`
  if (!rows) return 'Uploaded. Reading the rows…'
  const { rowsRead, rowsStored } = rows
  const all = total?.toLocaleString()
  if (rowsStored === 0) return `${rowsRead.toLocaleString()}${all ? ` of ${all}` : ''} rows read`
  return `${rowsStored.toLocaleString()} of ${all ?? rowsRead.toLocaleString()} rows stored`
}
