import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { docPath } from '../api/paths'
import { Button } from '../components/button'
import { Field } from '../components/field'
import { Section } from '../components/page'
import { formatSize } from '../components/size'
import { Empty, ErrorNote, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { canEdit, useDocumentContext } from '../document-context/document-context'
import { filesQuery, type FileRecord } from './file-queries'
import { useUploads, type FileUpload } from './use-uploads'

/** The attachments of the document. */
export function FilesPage(): ReactNode {
  const { docId, document } = useDocumentContext()
  const { data, error, refetch, ...more } = useInfiniteQuery(filesQuery(docId))
  const canUpload = canEdit(document)
  return (
    <div className="pane">
      <Section
        title="Files"
        description="Files attached to this document. Cells of type Files refer to them."
      >
        {canUpload && <UploadField docId={docId} />}
        {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading what="the files" />}
        {data && <FileList docId={docId} files={data.pages.flat()} canUpload={canUpload} />}
        {data && <ErrorNote error={error} />}
        {more.hasNextPage && (
          <Button isBusy={more.isFetchingNextPage} onClick={() => void more.fetchNextPage()}>
            Show more
          </Button>
        )}
      </Section>
    </div>
  )
}

interface FileListProps {
  readonly docId: string
  readonly files: readonly FileRecord[]
  readonly canUpload: boolean
}

function FileList({ docId, files, canUpload }: FileListProps): ReactNode {
  if (files.length === 0)
    return (
      <Empty title="No files yet">
        {canUpload && <p>Choose one or more files above to attach them.</p>}
      </Empty>
    )
  return (
    <ul className="rows">
      {files.map(({ id, fields }) => (
        <li key={id}>
          <div className="row-main">
            <a href={`${docPath(docId)}/attachments/${id}/download`} download>
              {fields.fileName}
            </a>
            <span className="note">
              {formatSize(fields.fileSize)}, <Time at={fields.timeUploaded} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}

function UploadField({ docId }: { readonly docId: string }): ReactNode {
  const { uploads, add, remove } = useUploads(docId)
  return (
    <>
      <Field label="Attach files">
        {(control) => (
          <input
            type="file"
            multiple
            {...control}
            onChange={({ target }) => {
              add([...(target.files ?? [])])
              target.value = ''
            }}
          />
        )}
      </Field>
      {uploads.length > 0 && (
        <ul className="rows uploads" aria-label="Uploads">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onRemove={() => remove(upload)} />
          ))}
        </ul>
      )}
    </>
  )
}

interface UploadRowProps {
  readonly upload: FileUpload
  readonly onRemove: () => void
}

function UploadRow({ upload: { file, sent, error }, onRemove }: UploadRowProps): ReactNode {
  return (
    <li>
      <div className="row-main">
        <span>{file.name}</span>
        {error === undefined ? (
          <span className="note">
            {sent === undefined
              ? `${formatSize(file.size)}, queued`
              : `${Math.floor(sent * 100)}% of ${formatSize(file.size)}`}
          </span>
        ) : (
          <span className="note error" role="alert">
            {file.name} could not be uploaded: {error}
          </span>
        )}
        {error === undefined && (
          <progress aria-label={`Upload of ${file.name}`} value={sent ?? 0} max={1} />
        )}
      </div>
      <Button
        kind="quiet"
        aria-label={error === undefined ? `Cancel ${file.name}` : `Dismiss ${file.name}`}
        onClick={onRemove}
      >
        {error === undefined ? 'Cancel' : 'Dismiss'}
      </Button>
    </li>
  )
}
