import { NotFoundError } from '@sheaf/client'
import { useEffect, useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { useTitle } from '../components/page'
import { describeError, Loading } from '../components/states'
import type { ShownForm } from '../form/answers'
import { sentText } from '../form/form-fields'
import { prefilledEntries } from '../form/prefilled-entries'
import { FillForm } from './fill-form'
import { readForm } from './form-api'

type Loaded = { readonly form: ShownForm } | { readonly error: unknown } | undefined

/** The page of a form, for everyone with its link. */
export function PublicForm({ formKey }: { readonly formKey: string }): ReactNode {
  const [loaded, setLoaded] = useState<Loaded>()
  const [attempt, setAttempt] = useState(1)
  useEffect(() => {
    readForm(formKey).then(
      (form) => setLoaded({ form }),
      (error: unknown) => setLoaded({ error }),
    )
  }, [formKey, attempt])
  const retry = () => {
    setLoaded(undefined)
    setAttempt(attempt + 1)
  }
  return (
    <main className="form-page" id="main" tabIndex={-1}>
      {loaded === undefined && <Loading what="the form" />}
      {loaded && 'error' in loaded && <NoForm error={loaded.error} onRetry={retry} />}
      {loaded && 'form' in loaded && <OpenForm formKey={formKey} form={loaded.form} />}
    </main>
  )
}

function NoForm({
  error,
  onRetry,
}: {
  readonly error: unknown
  readonly onRetry: () => void
}): ReactNode {
  const isGone = error instanceof NotFoundError
  useTitle(isGone ? 'Form not found' : 'Form')
  return (
    <div role="alert">
      <h1>{isGone ? 'This form is not open' : 'The form could not be loaded'}</h1>
      <p>
        {isGone
          ? 'The link may be incomplete, or its owner may have closed the form. Ask the person who sent it to you.'
          : describeError(error)}
      </p>
      {!isGone && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

function OpenForm({
  formKey,
  form,
}: {
  readonly formKey: string
  readonly form: ShownForm
}): ReactNode {
  const [round, setRound] = useState(1)
  const [isSent, setSent] = useState(false)
  const [prefilled] = useState(() =>
    prefilledEntries(form.fields, new URLSearchParams(window.location.search)),
  )
  useTitle(form.title)
  if (isSent)
    return (
      <SentForm
        form={form}
        onAgain={() => {
          setRound(round + 1)
          setSent(false)
        }}
      />
    )
  return (
    <FillForm
      key={round}
      formKey={formKey}
      form={form}
      prefilled={prefilled}
      isAgain={round > 1}
      onSent={() => setSent(true)}
    />
  )
}

function SentForm({
  form,
  onAgain,
}: {
  readonly form: ShownForm
  readonly onAgain: () => void
}): ReactNode {
  return (
    <>
      {/* The button that had the focus is gone. */}
      <h1 ref={(heading) => heading?.focus()} tabIndex={-1}>
        {form.title}
      </h1>
      <p className="form-sent" role="status">
        {sentText(form)}
      </p>
      {form.again && <Button onClick={onAgain}>Send another answer</Button>}
    </>
  )
}
