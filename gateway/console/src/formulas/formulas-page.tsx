import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { PlainTable } from '../components/plain-table'
import { Empty, ErrorState, Loading } from '../components/states'
import { useApiMutation } from '../components/use-api-mutation'
import { canEdit, useDocumentContext } from '../document-context/document-context'
import { describeEngine, recalculate, stopTexts } from './formula-check'
import { describeOpenCells, timingsKey, timingsQuery, type FormulaTiming } from './timing-queries'

/** The columns with formulas of the document: how they run, and what computing them has taken. */
export function FormulasPage(): ReactNode {
  const { docId } = useDocumentContext()
  const { data, error, isRefetching, refetch } = useQuery(timingsQuery(docId))
  return (
    <div className="pane">
      <Section
        title="Formulas"
        description="Cells, errors and time are counted since the document was opened."
        actions={
          <Button isBusy={isRefetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        }
      >
        {error && <ErrorState error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading what="the formulas" />}
        {data?.length === 0 && (
          <Empty title="No formulas yet">
            <p>Add a column with values that are computed by a formula.</p>
          </Empty>
        )}
        {data && data.length > 0 && <TimingTable timings={data} />}
      </Section>
    </div>
  )
}

const headers = ['Column', 'Runs', 'Cells', 'Errors', 'Time', 'Not computed', '']

function TimingTable({ timings }: { readonly timings: readonly FormulaTiming[] }): ReactNode {
  return (
    <PlainTable headers={headers} label="Columns with formulas">
      {timings.map((timing) => (
        <TimingRow key={timing.colRef} timing={timing} />
      ))}
    </PlainTable>
  )
}

function TimingRow({ timing }: { readonly timing: FormulaTiming }): ReactNode {
  const { docId, document } = useDocumentContext()
  const { isBusy, mutateOrToast } = useApiMutation(timingsKey(docId))
  const { tableId, colId, cells, errors, milliseconds, isTrigger, stopped } = timing
  const name = `${tableId}.${colId}`
  return (
    <tr>
      <th scope="row">
        <Link to={`../tables/${tableId}`}>{name}</Link>
        {isTrigger && <span className="note"> (trigger)</span>}
      </th>
      <td data-label="Runs">
        {describeEngine(timing)}
        {stopped !== null && <p className="note error">{stopTexts[stopped]}</p>}
      </td>
      <td data-label="Cells" className="figure">
        {cells.toLocaleString()}
      </td>
      <td data-label="Errors" className="figure">
        {errors.toLocaleString()}
      </td>
      <td data-label="Time" className="figure">
        {milliseconds.toLocaleString(undefined, { maximumFractionDigits: 1 })} ms
      </td>
      <td data-label="Not computed">{describeOpenCells(timing)}</td>
      <td>
        {canEdit(document) && (!isTrigger || stopped !== null) && (
          <Button
            aria-label={`Calculate again: ${name}`}
            isBusy={isBusy}
            onClick={() => mutateOrToast(() => recalculate(docId, tableId, colId))}
          >
            Calculate again
          </Button>
        )}
      </td>
    </tr>
  )
}
