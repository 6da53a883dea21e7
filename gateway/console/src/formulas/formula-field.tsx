import { useMemo, type ReactNode } from 'react'
import { lazyComponent } from '../components/lazy-component'
import { Loading, describeError as textOf } from '../components/states'
import { formatCell } from '../formats/cell'
import { sampleColumnOf } from '../formats/column'
import {
  describeEngine,
  describeError,
  problemsOf,
  stopTexts,
  type CheckedFormula,
  type Problem,
} from './formula-check'
import type { FormulaEditorProps } from './formula-editor'
import { useFormulaCheck, type FormulaCheckState } from './use-formula-check'

/** The editor of a formula. It is half as large as the rest of the console, so it is loaded with the first formula. */
export const FormulaText = lazyComponent<FormulaEditorProps>(
  async () => (await import('./formula-editor')).FormulaEditor,
  <Loading what="the editor" />,
)

interface FormulaFieldProps {
  readonly docId: string
  readonly tableId: string
  /** The column whose formula is edited; undefined for a new one. */
  readonly colId: string | undefined
  readonly type: string
  readonly isFormula: boolean
  readonly formula: string
  readonly isFocused?: boolean
  /** The rows to show results of. */
  readonly rowIds: () => readonly number[]
  readonly onChange: (formula: string) => void
}

const noProblems: readonly Problem[] = []

/** A formula with its problems, and its results in the rows in view while it is edited. */
export function FormulaField(props: FormulaFieldProps): ReactNode {
  const { rowIds, onChange, isFocused, ...input } = props
  const { docId, tableId, formula, type } = input
  const state = useFormulaCheck(input, rowIds)
  const { checked } = state
  const problems = useMemo(() => (checked ? problemsOf(checked) : noProblems), [checked])
  return (
    <div className="field formula-field">
      <span className="field-label">Formula</span>
      <FormulaText
        docId={docId}
        tableId={tableId}
        label="Formula"
        formula={formula}
        isFocused={isFocused}
        problems={problems}
        onChange={onChange}
      />
      <p className="note">
        Python. <code>$Column</code> is a cell of the row; Ctrl+Space completes names.
      </p>
      <Problems state={state} problems={problems} />
      {checked?.syntaxErrors.length === 0 && <p className="note">{describeEngine(checked)}</p>}
      {checked && <Preview checked={checked} type={type} isCurrent={!state.isChecking} />}
    </div>
  )
}

function Problems(props: {
  readonly state: FormulaCheckState
  readonly problems: readonly Problem[]
}): ReactNode {
  const { state, problems } = props
  const { checked, error, isChecking } = state
  return (
    <div role="status" className="formula-problems" aria-busy={isChecking}>
      {error !== undefined && <p className="note error">{textOf(error)}</p>}
      {checked?.stopped && <p className="note error">{stopTexts[checked.stopped]}</p>}
      {problems.map(({ line, message }) => (
        <p key={`${line} ${message}`} className="note error">
          {line > 0 && <b>Line {line}: </b>}
          {message}
        </p>
      ))}
    </div>
  )
}

interface PreviewProps {
  readonly checked: CheckedFormula
  readonly type: string
  /** False for results of an earlier text. */
  readonly isCurrent: boolean
}

function Preview({ checked, type, isCurrent }: PreviewProps): ReactNode {
  const { rows, syntaxErrors, stopped } = checked
  if (syntaxErrors.length > 0 || stopped !== null) return null
  if (rows.length === 0) return <p className="note">The table has no rows to compute.</p>
  const column = sampleColumnOf(type)
  return (
    <div
      className={isCurrent ? 'formula-preview' : 'formula-preview old'}
      role="region"
      aria-label="Results"
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            <th scope="col">Row id</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, value, error }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              {error ? (
                <td className="cell-error" title={describeError(error)}>
                  #{error.name}
                </td>
              ) : (
                <td>{formatCell(value, column)}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
