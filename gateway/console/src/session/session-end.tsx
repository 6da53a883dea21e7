import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'

interface SessionEndProps {
  /** What is not saved. */
  readonly drafts: readonly string[]
  /** True if another user has signed in. */
  readonly isOther: boolean
  /** Goes on if the user has signed in again. */
  readonly onContinue: () => void
  readonly onLeave: () => void
}

/** Covers the pages, which are kept with what is not saved, after the session of their user has ended. Hides them from another user. */
export function SessionEnd({ drafts, isOther, onContinue, onLeave }: SessionEndProps): ReactNode {
  return (
    <Dialog
      title={isOther ? 'Another user has signed in' : 'You are signed out'}
      className={isOther ? 'hides-page' : ''}
      onClose={onContinue}
    >
      <p role="alert">
        {`Not saved: ${drafts.join(', ')}.`}
        {!isOther && ' Sign in again in another tab, then continue here.'}
      </p>
      {!isOther && (
        <p>
          <a href="/sign-in" target="_blank" rel="noreferrer">
            Sign in
          </a>
        </p>
      )}
      <div className="dialog-foot">
        <Button onClick={onLeave}>Leave without saving</Button>
        {!isOther && (
          <Button kind="primary" onClick={onContinue}>
            Continue
          </Button>
        )}
      </div>
    </Dialog>
  )
}
