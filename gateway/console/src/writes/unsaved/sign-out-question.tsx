import { useEffect, useState, type ReactNode } from 'react'
import { ConfirmDialog } from '../../components/overlays/dialog'
import { guardSignOut } from '../../session/sign-out'
import { outbox, unsavedCells, useUnsaved } from '../outbox'
import { cellCount } from '../unsaved-documents'

interface Question {
  /** Number of cells that are not saved in other pages of the user. */
  readonly elsewhere: number
  readonly answer: (isLeaving: boolean) => void
}

/** Asks before the user signs out while there are cells that are not saved, and deletes what the browser has of the user. */
export function SignOutQuestion(): ReactNode {
  const { cells: own } = useUnsaved()
  const [question, setQuestion] = useState<Question>()
  const cells = own + (question?.elsewhere ?? 0)
  useEffect(() => {
    // They were saved meanwhile.
    if (cells === 0) question?.answer(true)
  }, [cells, question])
  useEffect(
    () =>
      guardSignOut({
        async ask() {
          const elsewhere = await outbox.countElsewhere()
          if (unsavedCells(outbox.readState()) + elsewhere === 0) return true
          const asked = new Promise<boolean>((answer) => setQuestion({ elsewhere, answer }))
          return asked.finally(() => setQuestion(undefined))
        },
        forget: () => outbox.forget(),
      }),
    [],
  )
  if (!question || cells === 0) return null
  return (
    <ConfirmDialog
      title="Sign out without saving?"
      confirm="Sign out"
      onConfirm={async () => question.answer(true)}
      onClose={() => question.answer(false)}
    >
      <p>
        {`${cellCount(cells)} ${cells === 1 ? 'is' : 'are'} not saved yet${question.elsewhere > 0 ? ', counting those in your other tabs' : ''}. Signing out discards what you entered there.`}
      </p>
    </ConfirmDialog>
  )
}
