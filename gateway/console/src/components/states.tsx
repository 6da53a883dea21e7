import { ConnectionError, SheafError, TimeoutError } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Button } from './button'

/** Loading indicator. Appears after a short delay. */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <div className="state loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  )
}

/** Empty state of a list. The children suggest a next step. */
export function Empty(props: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="state empty">
      <p className="state-title">{props.title}</p>
      {props.children}
    </div>
  )
}

/** Returns the message of an error. */
export function describeError(error: unknown): string {
  if (error instanceof TimeoutError) return 'Sheaf did not respond in time. Try again.'
  if (error instanceof ConnectionError)
    return 'Sheaf cannot be reached. Check your connection and try again.'
  return error instanceof Error ? error.message : String(error)
}

function adviceFor(error: unknown): string {
  const status = error instanceof SheafError ? error.status : 0
  if (status === 403) return 'Ask an owner for access, or sign in with another account.'
  if (status === 404)
    return 'It may have been deleted or moved to the trash, or the address may be wrong.'
  if (status >= 400 && status < 500) return 'Change your request and try again.'
  return 'Try again. If the problem persists, contact the administrator.'
}

/** Error state of something that could not be loaded. */
export function ErrorState(props: {
  readonly error: unknown
  readonly onRetry?: () => void
}): ReactNode {
  return (
    <div className="state error" role="alert">
      <p className="state-title">{describeError(props.error)}</p>
      <p>{adviceFor(props.error)}</p>
      {props.onRetry && <Button onClick={props.onRetry}>Try again</Button>}
    </div>
  )
}

/** A short error message next to its cause. */
export function ErrorNote({ error }: { readonly error: unknown }): ReactNode {
  if (error === null || error === undefined) return null
  return (
    <p className="note error" role="alert">
      {describeError(error)}
    </p>
  )
}
