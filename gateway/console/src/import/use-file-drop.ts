import { useEffect, useState } from 'react'

/**
 * Calls the function with the files that are dropped anywhere on the page. While a dialog is open, only its file fields take
 * files. Returns true while files are dragged over the page. The function must not change between renders.
 */
export function useFileDrop(onDrop: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const follow = (event: DragEvent) => {
      if (!hasFiles(event) || isFileField(event.target)) return
      // Browsers would open the file in place of the page.
      event.preventDefault()
      if (hasDialog()) {
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
        return
      }
      setOver(event.type !== 'drop')
      if (event.type === 'drop') onDrop([...(event.dataTransfer?.files ?? [])])
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false)
    }
    const stop = new AbortController()
    const { signal } = stop
    window.addEventListener('dragenter', follow, { signal })
    window.addEventListener('dragover', follow, { signal })
    window.addEventListener('drop', follow, { signal })
    window.addEventListener('dragleave', leave, { signal })
    return () => stop.abort()
  }, [onDrop])
  return isOver
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
const isFileField = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && target.type === 'file'
const hasDialog = () => document.querySelector('dialog[open]') !== null
