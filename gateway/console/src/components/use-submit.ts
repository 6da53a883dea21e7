import { useState, type SyntheticEvent } from 'react'
import { useToaster } from './toast'
import { useIsShown } from './use-is-shown'

interface Submit {
  readonly error: unknown
  readonly isBusy: boolean
  /** Handles the submission of a form. One at a time is made. */
  readonly handleSubmit: (event: SyntheticEvent) => void
}

/**
 * Submits a form: `onSubmit` makes the change, and `onDone` is called when it was made. If the form was closed meanwhile, `onDone` is
 * not called, since it could close what was opened after it, and an error is shown as a message.
 */
export function useSubmit(onSubmit: () => Promise<unknown>, onDone: () => void): Submit {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const toaster = useToaster()
  const isShown = useIsShown()
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
      if (isShown()) onDone()
    } catch (thrown) {
      if (isShown()) setError(thrown)
      else if (!isCancellation(thrown)) toaster.showError(thrown)
    } finally {
      setBusy(false)
    }
  }
  const handleSubmit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!isBusy) void submit()
  }
  return { error, isBusy, handleSubmit }
}

/** True for the error of a call that was cancelled, as closing its form may do. */
const isCancellation = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'
