import { useRef, useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react'
import { call } from '../api/client'
import { docPath } from '../api/resources'
import { Button } from '../components/button'
import { Field } from '../components/field'
import { Empty, ErrorState } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'

interface SqlAnswer {
  readonly records: readonly { readonly fields: Readonly<Record<string, unknown>> }[]
}

interface Outcome {
  readonly answer?: SqlAnswer
  readonly error?: unknown
  readonly ms: number
}

/** So many rows are shown; browsers get slow with more. */
const MAX_SHOWN = 1_000

/** Runs SQL that the user writes, and shows what it answers. */
export function SqlPage(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const [sql, setSql] = useState(
    `select *\nfrom ${quoteName(tables[0]?.id ?? '_grist_Tables')}\nlimit 20`,
  )
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const run = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    const began = performance.now()
    const ms = () => Math.round(performance.now() - began)
    try {
      const answer = await call<SqlAnswer>('POST', `${docPath(docId)}/sql`, { body: { sql } })
      setOutcome({ answer, ms: ms() })
    } catch (error) {
      setOutcome({ error, ms: ms() })
    }
    setBusy(false)
  }
  const runByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.current?.requestSubmit()
  }
  return (
    <div className="pane">
      <form ref={form} onSubmit={(event) => void run(event)}>
        <Field
          label="SQL"
          hint="One SELECT, which may begin with WITH; it reads the tables of this document. Ctrl+Enter runs it."
        >
          {(control) => (
            <textarea
              {...control}
              value={sql}
              rows={6}
              spellCheck={false}
              onKeyDown={runByKey}
              onChange={({ target }) => setSql(target.value)}
            />
          )}
        </Field>
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={sql.trim() === ''}>
          Run
        </Button>
      </form>
      <SqlOutcome outcome={outcome} />
    </div>
  )
}

/** A name as SQL takes it, whatever is in it. */
const quoteName = (name: string) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

function SqlOutcome({ outcome }: { readonly outcome: Outcome | undefined }): ReactNode {
  if (!outcome) return <Empty title="Run a query to see its rows here" />
  const { answer, error, ms } = outcome
  if (!answer) return <ErrorState error={error} />
  const { records } = answer
  const columns = Object.keys(records[0]?.fields ?? {})
  const isCut = records.length > MAX_SHOWN
  return (
    <section aria-labelledby="sql-result">
      <h2 id="sql-result">Result</h2>
      <p className="note" role="status">
        {records.length.toLocaleString()} {records.length === 1 ? 'row' : 'rows'} in{' '}
        {ms.toLocaleString()} ms{isCut && `; the first ${MAX_SHOWN.toLocaleString()} are shown`}
      </p>
      {records.length > 0 && (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Rows of the result">
          <table className="cells">
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {records.slice(0, MAX_SHOWN).map(({ fields }, index) => (
                // Rows of a result have nothing to be known by but their place.
                <tr key={index}>
                  {columns.map((name) => (
                    <td key={name}>{formatValue(fields[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
