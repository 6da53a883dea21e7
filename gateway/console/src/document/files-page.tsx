import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState, type ChangeEvent, type ReactNode } from 'react'
import { useOutletContext } from 'react-router'
import { call } from '../api/client'
import { docPath } from '../api/resources'
import { upload } from '../api/upload'
import { useChange } from '../api/use-change'
import { Field } from '../components/field'
import { Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { canEdit, type DocumentOutlet } from './document-page'

interface FileRecord {
  readonly id: number
  readonly fields: {
    readonly fileName: string
    readonly fileSize: number
    readonly timeUploaded: string
  }
}

/** So many files are listed, the latest first. */
const MOST_SHOWN = 500

const filesKey = (docId: string) => ['document', docId, 'attachments']

const filesQuery = (docId: string) =>
  queryOptions({
    queryKey: filesKey(docId),
    queryFn: async ({ signal }) =>
      (
        await call<{ records: FileRecord[] }>('GET', `${docPath(docId)}/attachments`, {
          query: { sort: '-timeUploaded', limit: MOST_SHOWN },
          signal,
        })
      ).records,
  })

/** The files that are attached to the document. */
export function FilesPage(): ReactNode {
  const { docId, document } = useOutletContext<DocumentOutlet>()
  const { data, error, refetch } = useQuery(filesQuery(docId))
  return (
    <div className="pane">
      <Section
        title="Attached files"
        about="Cells of columns of the type Attachments refer to them."
      >
        {canEdit(document) && <AttachField docId={docId} />}
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading what="the files" />}
        {data?.length === 0 && <Empty title="No files are attached yet" />}
        <ul className="rows">
          {data?.map(({ id, fields }) => (
            <li key={id}>
              <div className="row-main">
                <a href={`${docPath(docId)}/attachments/${id}/download`} download>
                  {fields.fileName}
                </a>
                <span className="note">
                  {showSize(fields.fileSize)}, <Time at={fields.timeUploaded} />
                </span>
              </div>
            </li>
          ))}
        </ul>
        {data?.length === MOST_SHOWN && (
          <p className="note">The latest {MOST_SHOWN} are shown; the API lists all.</p>
        )}
      </Section>
    </div>
  )
}

function AttachField({ docId }: { readonly docId: string }): ReactNode {
  const [sent, setSent] = useState<number>()
  const { makeOrTell } = useChange(filesKey(docId))
  const attach = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])]
    if (files.length === 0) return
    const form = new FormData()
    for (const file of files) form.append('upload', file)
    const { signal } = new AbortController()
    const options = { form, signal, accept: 'application/json' }
    const send = () =>
      upload(`${docPath(docId)}/attachments`, {
        ...options,
        onProgress: (progress) => setSent(progress.sent),
      }).finally(() => {
        setSent(undefined)
        target.value = ''
      })
    makeOrTell(send, files.length === 1 ? 'The file is attached.' : 'The files are attached.')
  }
  return (
    <>
      <Field label="Attach files">
        {(ties) => (
          <input type="file" multiple {...ties} disabled={sent !== undefined} onChange={attach} />
        )}
      </Field>
      <div className="progress-line">
        {sent !== undefined && <progress aria-label="Upload" value={sent} max={1} />}
      </div>
    </>
  )
}

/** A number of bytes as people read it. */
function showSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`
}
