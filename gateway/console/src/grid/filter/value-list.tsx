import { useDeferredValue, useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Button } from '../../components/button'
import { CheckField } from '../../components/field'
import { ErrorNote } from '../../components/states'
import { useSearchText } from '../view/search-address'
import type { Filter } from '../view/grid-view'
import { emptyValues, valueFamily } from './conditions'
import { isBlank } from './condition-text'
import { useListedValues } from './listed-values'
import { useValueLabels } from './value-labels'

interface ValueListProps {
  readonly column: Column
  readonly context: CellContext
  /** The filter of the rows whose values are counted. */
  readonly filter: Filter
  readonly chosen: readonly unknown[]
  readonly onChoose: (values: readonly unknown[]) => void
}

/** The values of a column with the number of their rows, to choose from. */
export function ValueList(props: ValueListProps): ReactNode {
  const { column, chosen } = props
  const [search, setSearch] = useState('')
  const sought = useDeferredValue(search.trim())
  const { isComplete, note, error, isLoading, ...found } = useListedValues(props, sought)
  const listed = found.values.filter(
    // An empty list has no element that could be chosen.
    ({ value }) => valueFamily(column) !== 'list' || value !== null,
  )
  const counts = new Map<string, number>()
  for (const { value, count } of listed) {
    const key = keyOf(value, column)
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  const values = distinct([...listed.map(({ value }) => value), ...chosen], column)
  const [searched] = useSearchText()
  return (
    <div className="values" role="group" aria-label="Values">
      <input
        type="search"
        aria-label="Search values"
        placeholder="Search values"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <ErrorNote error={error} />
      <Choices
        {...props}
        values={values}
        countOf={(value) => counts.get(keyOf(value, column)) ?? (isComplete ? 0 : undefined)}
        search={sought}
        isLoading={isLoading}
      />
      {note !== undefined && <p className="note">{note}</p>}
      {searched !== '' && (
        <p className="note">Rows that do not match the search are counted as well.</p>
      )}
    </div>
  )
}

/** Empty cells have one place in the list, whether they are null or empty text. */
const keyOf = (value: unknown, column: Column): string =>
  isBlank(value, column) ? 'null' : JSON.stringify(value)

function distinct(values: readonly unknown[], column: Column): readonly unknown[] {
  return [...new Map(values.map((value) => [keyOf(value, column), value])).values()]
}

interface ChoicesProps extends ValueListProps {
  readonly values: readonly unknown[]
  /** Undefined if it is not known. */
  readonly countOf: (value: unknown) => number | undefined
  readonly search: string
  readonly isLoading: boolean
}

function Choices(props: ChoicesProps): ReactNode {
  const { column, context, values, countOf, search, isLoading, chosen, onChoose } = props
  const labels = useValueLabels([{ column, values }], context)
  const labelOf = (value: unknown) => labels(value, column)
  const folded = search.toLowerCase()
  const shown = values.filter((value) => labelOf(value).toLowerCase().includes(folded))
  const keys = new Set(chosen.map((value) => keyOf(value, column)))
  const isChosen = (value: unknown) => keys.has(keyOf(value, column))
  const without = (some: readonly unknown[]) => {
    const gone = new Set(some.map((value) => keyOf(value, column)))
    return chosen.filter((value) => !gone.has(keyOf(value, column)))
  }
  const allOf = (value: unknown) => (isBlank(value, column) ? emptyValues(column) : [value])
  const choose = (value: unknown, isOn: boolean) =>
    onChoose(isOn ? [...without([value]), ...allOf(value)] : without([value]))
  return (
    <>
      <div className="values-actions">
        <Button kind="quiet" onClick={() => onChoose([...without(shown), ...shown.flatMap(allOf)])}>
          Select all
        </Button>
        <Button kind="quiet" onClick={() => onChoose(without(shown))}>
          Select none
        </Button>
      </div>
      <ul className="values-list" tabIndex={-1}>
        {shown.map((value) => (
          <li key={keyOf(value, column)}>
            <CheckField
              label={
                <>
                  <span className="values-label">{labelOf(value)}</span>{' '}
                  <span className="values-count">{countOf(value)?.toLocaleString()}</span>
                </>
              }
              checked={isChosen(value)}
              onChange={({ target }) => choose(value, target.checked)}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="note">{isLoading ? 'Loading…' : 'No values found.'}</p>}
    </>
  )
}
