import { useState, type SyntheticEvent } from 'react'

interface Submit {
  readonly error: unknown
  readonly isBusy: boolean
  /** Handles the submission of a form. One at a time is made. */
  readonly handleSubmit: (event: SyntheticEvent) => void
}

/** Submits a form: `onSubmit` makes the change, and `onDone` is called when it was made. */
export function useSubmit(onSubmit: () => Promise<unknown>, onDone: () => void): Submit {
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setError(undefined)
    try {
      await onSubmit()
      onDone()
    } catch (thrown) {
      setError(thrown)
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
