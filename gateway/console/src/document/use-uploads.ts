import { useEffect, useRef, useState } from 'react'
import { docPath } from '../api/resources'
import { upload } from '../api/upload'
import { useApiMutation } from '../components/use-api-mutation'
import { describeError } from '../components/states'
import { useToaster } from '../components/toast'
import { filesKey } from './file-queries'

/** A file on its way into a document. */
export interface FileUpload {
  readonly id: number
  readonly file: File
  /** Part of it that has been sent, 0 to 1; undefined while it waits for others. */
  readonly sent?: number
  /** Why it is not attached. */
  readonly error?: string
  readonly stop: AbortController
}

interface Uploads {
  /** Those that wait, are on their way, or failed. */
  readonly uploads: readonly FileUpload[]
  readonly add: (files: readonly File[]) => void
  /** Takes one off the list; stops it when it is on its way. */
  readonly drop: (upload: FileUpload) => void
}

/**
 * Attaches files one after the other, each by a request of its own, so that one that is refused leaves the others alone.
 * They go on when the page is left; then what fails is told in passing.
 */
export function useUploads(docId: string): Uploads {
  const [uploads, setUploads] = useState<readonly FileUpload[]>([])
  const { mutate } = useApiMutation(filesKey(docId))
  const toaster = useToaster()
  const last = useRef({ id: 0, done: Promise.resolve<unknown>(undefined), isShown: true })
  useEffect(() => {
    const { current } = last
    current.isShown = true
    return () => {
      current.isShown = false
    }
  }, [])
  const change = (id: number, part: Partial<FileUpload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...part } : one)))
  const remove = (id: number) => setUploads((all) => all.filter((one) => one.id !== id))

  const send = async ({ id, file, stop: { signal } }: FileUpload): Promise<boolean> => {
    if (signal.aborted) return false
    change(id, { sent: 0 })
    const form = new FormData()
    form.append('upload', file)
    const onProgress = ({ sent }: { sent: number }) => change(id, { sent })
    const options = { form, accept: 'application/json', signal, onProgress }
    try {
      await mutate(() => upload(`${docPath(docId)}/attachments`, options))
      remove(id)
      return true
    } catch (error) {
      if (signal.aborted) return false
      const text = describeError(error)
      change(id, { error: text })
      if (!last.current.isShown)
        toaster.showError(new Error(`${file.name} is not attached: ${text}`))
      return false
    }
  }
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({
      id: ++last.current.id,
      file,
      stop: new AbortController(),
    }))
    setUploads((all) => [...all, ...added])
    const sendAll = async () => {
      let count = 0
      for (const one of added) if (await send(one)) count++
      if (count === 1) toaster.show('The file is attached.')
      else if (count > 1) toaster.show(`${count} files are attached.`)
    }
    last.current.done = last.current.done.then(sendAll)
  }
  const drop = ({ id, stop }: FileUpload) => {
    stop.abort()
    remove(id)
  }
  return { uploads, add, drop }
}
