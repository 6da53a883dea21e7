import type { UploadProgress } from '@sheaf/client'
import { useEffect, useRef, useState } from 'react'
import { docOf, fractionOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { describeError } from '../components/states'
import { useToaster } from '../components/toast'
import { filesKey } from './file-queries'

/** A file being uploaded to a document. */
export interface FileUpload {
  readonly id: number
  readonly file: File
  /** Fraction that was sent, 0 to 1; undefined while it is queued. */
  readonly sent?: number
  /** Why the upload failed. */
  readonly error?: string
  readonly controller: AbortController
}

interface Uploads {
  /** Queued, active and failed uploads. */
  readonly uploads: readonly FileUpload[]
  readonly add: (files: readonly File[]) => void
  /** Removes an upload from the list, and cancels it if it is active. */
  readonly remove: (upload: FileUpload) => void
}

/**
 * Uploads files one after the other. Each file is a separate request, so that an error of one does not affect
 * the others. Uploads continue when the user leaves the page; errors are then shown as toasts.
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
  const removeById = (id: number) => setUploads((all) => all.filter((one) => one.id !== id))

  const send = async ({ id, file, controller: { signal } }: FileUpload): Promise<boolean> => {
    if (signal.aborted) return false
    change(id, { sent: 0 })
    const onProgress = (progress: UploadProgress) => change(id, { sent: fractionOf(progress) })
    try {
      await mutate(() => docOf(docId).attachments.upload([file], { signal, onProgress }))
      removeById(id)
      return true
    } catch (error) {
      if (signal.aborted) return false
      const text = describeError(error)
      change(id, { error: text })
      if (!last.current.isShown)
        toaster.showError(new Error(`${file.name} could not be uploaded: ${text}`))
      return false
    }
  }
  const add = (files: readonly File[]) => {
    const added = files.map((file) => ({
      id: ++last.current.id,
      file,
      controller: new AbortController(),
    }))
    setUploads((all) => [...all, ...added])
    const sendAll = async () => {
      let count = 0
      for (const one of added) if (await send(one)) count++
      if (count === 1) toaster.show('File uploaded.')
      else if (count > 1) toaster.show(`${count} files uploaded.`)
    }
    last.current.done = last.current.done.then(sendAll)
  }
  const remove = ({ id, controller }: FileUpload) => {
    controller.abort()
    removeById(id)
  }
  return { uploads, add, remove }
}
