import { use, useEffect, useRef, useState } from 'react'
import { docOf, fractionOf } from '../../api/sheaf'
import { describeError } from '../../components/states'
import { useToaster } from '../../components/toast'
import { rowIds, toList } from '../../formats/value'
import { LateEntryContext } from '../editing/late-entry'

interface AttachedCell {
  readonly docId: string
  /** The files in the cell. */
  readonly value: unknown
  readonly onValueChange: (value: unknown) => void
}

interface Attaching {
  /** Fraction of the upload that was sent, 0 to 1; undefined if none is active. */
  readonly sent: number | undefined
  readonly error: unknown
  readonly send: (files: readonly File[]) => void
  readonly cancel: () => void
}

/**
 * Uploads files and adds them to a cell. An upload goes on when its editor is closed: the cell gets the files when it ends, and
 * errors are then shown as toasts.
 */
export function useAttaching({ docId, value, onValueChange }: AttachedCell): Attaching {
  const [sent, setSent] = useState<number>()
  const [error, setError] = useState<unknown>()
  const enterLate = use(LateEntryContext)
  const toaster = useToaster()
  const isShown = useRef(true)
  const upload = useRef<AbortController>(undefined)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
      if (upload.current?.signal.aborted === false)
        toaster.show('The upload goes on. The cell gets its files when it ends.')
    }
  }, [toaster])
  const send = (files: readonly File[]) => {
    if (files.length === 0 || upload.current) return
    const controller = new AbortController()
    const { signal } = controller
    const enter = enterLate()
    // One for each upload: the end of another one must not remove it.
    const askBefore = (event: BeforeUnloadEvent): void => event.preventDefault()
    upload.current = controller
    setSent(0)
    setError(undefined)
    window.addEventListener('beforeunload', askBefore)
    docOf(docId)
      .attachments.upload(files, {
        signal,
        onProgress: (progress) => setSent(fractionOf(progress)),
      })
      .then((ids) => {
        const add = (files: unknown) => toList([...(rowIds(files) ?? []), ...ids])
        // While the editor is open, files are neither removed nor added.
        if (isShown.current) onValueChange(add(value))
        else enter?.(add, value)
      })
      .catch((thrown: unknown) => {
        if (signal.aborted) return toaster.show('Upload cancelled.')
        if (isShown.current) return setError(thrown)
        const names = files.map(({ name }) => name).join(', ')
        toaster.showError(new Error(`${names} could not be uploaded: ${describeError(thrown)}`))
      })
      .finally(() => {
        window.removeEventListener('beforeunload', askBefore)
        upload.current = undefined
        setSent(undefined)
      })
  }
  return { sent, error, send, cancel: () => upload.current?.abort() }
}
