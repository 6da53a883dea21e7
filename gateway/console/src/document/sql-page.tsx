import { useRef, useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react'
import { docOf } from '../api/sheaf'
import { Button } from '../components/button'
import { Field } from '../components/field'
import { Empty, ErrorState } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'
import { anyText } from '../formats/any-value'

interface Outcome {
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
  readonly error?: unknown
  readonly ms: number
}

/** Maximum number of rows shown; browsers slow down with more. */
const MAX_SHOWN = 1_000

/** Runs SQL queries and shows their results. */
export function SqlPage(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const [sql, setSql] = useKeptQuery(
    docId,
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
      const rows = await docOf(docId).sql<Record<string, unknown>>(sql)
      setOutcome({ rows, ms: ms() })
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
          hint="A single SELECT statement, optionally starting with WITH. Press Ctrl+Enter to run it."
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

/** The query of a document, kept in this tab of the browser when the page is left. */
function useKeptQuery(docId: string, initial: string): readonly [string, (sql: string) => void] {
  const key = `sheaf.sql.${docId}`
  const [sql, setSql] = useState(() => sessionStorage.getItem(key) ?? initial)
  const keep = (next: string) => {
    setSql(next)
    try {
      sessionStorage.setItem(key, next)
    } catch {
      // No room: the query is that of the page, and not kept.
    }
  }
  return [sql, keep]
}

/** Quotes an identifier for SQL if necessary. */
const quoteName = (name: string) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

function SqlOutcome({ outcome }: { readonly outcome: Outcome | undefined }): ReactNode {
  if (!outcome) return <Empty title="Run a query to see its result" />
  const { rows, error, ms } = outcome
  if (!rows) return <ErrorState error={error} />
  const columns = Object.keys(rows[0] ?? {})
  const isTruncated = rows.length > MAX_SHOWN
  return (
    <section aria-labelledby="sql-result">
      <h2 id="sql-result">Result</h2>
      <p className="note" role="status">
        {rows.length.toLocaleString()} {rows.length === 1 ? 'row' : 'rows'} in {ms.toLocaleString()}{' '}
        ms{isTruncated && `, showing the first ${MAX_SHOWN.toLocaleString()}`}
      </p>
      {rows.length > 0 && (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Result rows">
          <table className="plain-table sql-result">
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
              {rows.slice(0, MAX_SHOWN).map((row, index) => (
                // Result rows have no id.
                <tr key={index}>
                  {columns.map((name) => (
                    <td key={name} className={typeof row[name] === 'number' ? 'cell-end' : ''}>
                      {anyText(row[name])}
                    </td>
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
