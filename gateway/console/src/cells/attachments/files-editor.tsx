import { useQueries } from '@tanstack/react-query'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../../components/button'
import { Field } from '../../components/field'
import { ErrorNote } from '../../components/states'
import { rowIds, toList } from '../../formats/value'
import type { EditorProps } from '../editing/text-editor'
import { useEditorFocus } from '../editing/type-ahead'
import { fileNameQuery, filePath } from './file-queries'
import { useAttaching } from './use-attaching'

/** Properties of cells with files. */
export interface FilesRules {
  readonly label: string
  readonly docId: string
  /** The seq of the change as of which the files are shown; undefined for the present. */
  readonly asOf?: string
}

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled)'

/** Adds files to a cell and removes them. Escape cancels an upload; Enter stops editing, unless a button or link has the focus. */
export function FilesEditor(props: EditorProps<FilesRules>): ReactNode {
  const { label, docId, value, onValueChange, stopEditing } = props
  const ids = rowIds(value) ?? []
  const names = useQueries({ queries: ids.map((id) => fileNameQuery(docId, id)) })
  const root = useRef<HTMLDivElement>(null)
  const field = useEditorFocus<HTMLInputElement>(label, false)
  const { sent, error, send, cancel } = useAttaching({ docId, value, onValueChange })
  const isBusy = sent !== undefined
  return (
    <div
      ref={root}
      className="pick files"
      role="group"
      aria-label={label}
      onKeyDownCapture={(event) => {
        if (event.key === 'Escape') cancel()
        handleKey(event, root.current, isBusy)
      }}
    >
      <ul>
        {ids.map((id, index) => {
          const name = names[index]?.data || `File ${id}`
          return (
            <li key={`${index}-${id}`}>
              <a href={filePath(docId, id)} download>
                {name}
              </a>
              <Button
                kind="quiet"
                className="icon"
                isBusy={isBusy}
                aria-label={`Remove ${name}`}
                onClick={() => {
                  onValueChange(toList(ids.filter((_, at) => at !== index)))
                  field.current?.focus()
                }}
              >
                ✕
              </Button>
            </li>
          )
        })}
      </ul>
      <Field label="Attach files">
        {(control) => (
          <input
            {...control}
            ref={field}
            type="file"
            multiple
            aria-disabled={isBusy || undefined}
            onChange={({ target }) => {
              send([...(target.files ?? [])])
              target.value = ''
            }}
          />
        )}
      </Field>
      <div className="progress-line">
        {isBusy && <progress aria-label="Upload" value={sent} max={1} />}
      </div>
      <ErrorNote error={error} />
      <div className="pick-foot">
        <span className="note">{typeof value === 'string' ? `Current text: “${value}”` : ''}</span>
        <Button disabled={isBusy} onClick={() => stopEditing()}>
          Done
        </Button>
      </div>
    </div>
  )
}

/** Keeps keys from the grid: Enter on buttons and links, Tab between controls, and both during an upload. */
function handleKey(event: KeyboardEvent, root: HTMLElement | null, isBusy: boolean): void {
  const { key, shiftKey, target } = event
  const inside = [...(root?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])]
  const isLast = target === (shiftKey ? inside[0] : inside.at(-1))
  const isPress = key === 'Enter' && (target as HTMLElement).matches('a, button')
  if (isPress || (key === 'Tab' && !isLast)) event.stopPropagation()
  if (isBusy && (key === 'Enter' || (key === 'Tab' && isLast))) {
    event.preventDefault()
    event.stopPropagation()
  }
}
