import type { ReactNode } from 'react'
import { ApiError } from '../api/client'
import { Button } from './button'

/** Shown while something is fetched; it appears only when that takes a moment. */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <div className="state loading" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>Loading {what}…</span>
    </div>
  )
}

/** Shown where a list holds nothing; its children say what to do next. */
export function Empty(props: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="state empty">
      <p className="state-title">{props.title}</p>
      {props.children}
    </div>
  )
}

/** What an error means for who reads it. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const { userError } = error.details
  return typeof userError === 'string' ? `${error.message}: ${userError}` : error.message
}

function adviceOn(error: unknown): string {
  const status = error instanceof ApiError ? error.status : 0
  if (status === 403) return 'Ask an owner for access, or sign in as somebody who has it.'
  if (status === 404)
    return 'It may have been deleted, moved to the trash, or the address may be wrong.'
  if (status >= 400 && status < 500) return 'Change what you asked for, then try again.'
  return 'Try again; if it goes on, tell whoever runs this Sheaf.'
}

/** Shown where something could not be fetched. */
export function ErrorState(props: {
  readonly error: unknown
  readonly onRetry?: () => void
}): ReactNode {
  return (
    <div className="state error" role="alert">
      <p className="state-title">{describeError(props.error)}</p>
      <p>{adviceOn(props.error)}</p>
      {props.onRetry && <Button onClick={props.onRetry}>Try again</Button>}
    </div>
  )
}

/** A short error beside what caused it. */
export function ErrorNote({ error }: { readonly error: unknown }): ReactNode {
  if (error === null || error === undefined) return null
  return (
    <p className="note error" role="alert">
      {describeError(error)}
    </p>
  )
}
