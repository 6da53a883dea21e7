import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { docOf } from '../../api/sheaf'
import { Button } from '../../components/button'
import { useToaster } from '../../components/toast'
import { insertChoices, moveChoice, type ChoiceDraft } from './choice-drafts'
import { ChoiceRow } from './choice-row'

/** A column whose values can become its choices. */
export interface ValueColumn {
  readonly docId: string
  readonly tableId: string
  readonly colId: string
  /** True if it has another type, and therefore no choices yet. */
  readonly isConverted: boolean
}

interface ChoiceListProps {
  readonly choices: readonly ChoiceDraft[]
  readonly onChange: (choices: readonly ChoiceDraft[]) => void
  /** The column as it is stored; undefined for a new one, and for one whose values are no texts. */
  readonly column?: ValueColumn
}

/** Choices that are made from values at most: a list of more is hard to choose from. */
const MAX_CHOICES = 200
/** Choices that are pasted at once at most: each has a row with controls. */
const MAX_PASTED = 1_000
/** Values that are read: texts that differ by the space around them become one choice. */
const MAX_VALUES = 1_000

/** The texts and numbers in the cells of a column, the most frequent first; null if there are too many. */
const valuesQuery = ({ docId, tableId, colId }: ValueColumn) =>
  queryOptions({
    queryKey: ['column-values', docId, tableId, colId],
    queryFn: async ({ signal }) => {
      const table = docOf(docId).table(tableId)
      const { values, total } = await table.values(colId, { limit: MAX_VALUES, signal })
      const counts = new Map<string, number>()
      for (const { value, count } of values) {
        const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
        const name = text.trim()
        if (name !== '' && !name.includes('\n')) counts.set(name, (counts.get(name) ?? 0) + count)
      }
      const isComplete = total <= MAX_VALUES && counts.size <= MAX_CHOICES
      return isComplete ? [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name) : null
    },
    staleTime: 0,
    gcTime: 0,
  })

/** The choices of a column, in order. One that had another type begins with its values. */
export function ChoiceList({ choices, onChange, column }: ChoiceListProps): ReactNode {
  const id = useId()
  const list = useRef<HTMLUListElement>(null)
  const toaster = useToaster()
  const [moved, setMoved] = useState('')
  const values = useValues(choices, onChange, column)
  /** Changes the choices, and focuses the name of one of them, or else what follows them. */
  const changeAndFocus = (next: readonly ChoiceDraft[], index: number) => {
    flushSync(() => onChange(next))
    const fields = list.current?.querySelectorAll<HTMLElement>('input')
    const target = fields?.[index] ?? list.current?.nextElementSibling?.querySelector('button')
    target?.focus()
  }
  const add = (index: number, names: readonly string[]) =>
    changeAndFocus(insertChoices(choices, index, names), index + names.length - 1)
  const addPasted = (index: number, names: readonly string[]) => {
    if (names.length <= MAX_PASTED) add(index, names)
    else toaster.show(`At most ${MAX_PASTED.toLocaleString()} choices can be pasted at once.`)
  }
  const move = (from: number, to: number) => {
    const next = moveChoice(choices, from, to)
    if (next === choices) return
    onChange(next)
    setMoved(`${choices[from]?.name ?? ''} is choice ${to + 1} of ${choices.length}.`)
  }
  return (
    <fieldset className="choice-list" aria-describedby={`${id}-hint`}>
      <legend>Choices</legend>
      <ul ref={list}>
        {choices.map((choice, index) => (
          <ChoiceRow
            key={choice.key}
            choice={choice}
            index={index}
            onChange={(changed) => onChange(choices.with(index, changed))}
            onAddAfter={(names) => addPasted(index + 1, names)}
            onMove={(to) => move(index, to)}
            onRemove={() => changeAndFocus(choices.toSpliced(index, 1), index)}
          />
        ))}
      </ul>
      <div className="choice-buttons">
        <Button onClick={() => add(choices.length, [''])}>Add choice</Button>
        {column && (
          <Button isBusy={values.isBusy} onClick={values.make}>
            Make from values
          </Button>
        )}
      </div>
      <p id={`${id}-hint`} className="note">
        Renaming a choice changes the cells that have it; removing one does not. Drag a handle, or
        use the arrow keys on it, to change the order.
      </p>
      <p className="visually-hidden" role="status">
        {moved}
      </p>
    </fieldset>
  )
}

/** Adds the values of a column to its choices: on request, and at first for a column that had another type. */
function useValues(
  choices: readonly ChoiceDraft[],
  onChange: (choices: readonly ChoiceDraft[]) => void,
  column: ValueColumn | undefined,
): { readonly isBusy: boolean; readonly make: () => void } {
  const client = useQueryClient()
  const toaster = useToaster()
  const [isBusy, setBusy] = useState(false)
  /** Undefined once the column has no choices any more: what was edited since stays. */
  const latest = useRef<Pick<ChoiceListProps, 'choices' | 'onChange'>>(undefined)
  useEffect(() => {
    latest.current = { choices, onChange }
    return () => {
      latest.current = undefined
    }
  }, [choices, onChange])
  const make = async (isAsked: boolean) => {
    if (!column) return
    setBusy(true)
    try {
      const values = await client.fetchQuery(valuesQuery(column))
      if (!values) {
        if (isAsked) toaster.show(`The column has more than ${MAX_CHOICES} different values.`)
        return
      }
      // What was entered in the meantime stays.
      if (!latest.current) return
      const { choices: before, onChange: change } = latest.current
      if (!isAsked && before.length > 0) return
      const known = new Set(before.map(({ name }) => name.trim()))
      const added = values.filter((value) => !known.has(value))
      change(insertChoices(before, before.length, added))
    } catch (error) {
      if (isAsked) toaster.showError(error)
    } finally {
      setBusy(false)
    }
  }
  const begin = useRef(() => {
    if (column?.isConverted && choices.length === 0) void make(false)
  })
  useEffect(() => begin.current(), [])
  return { isBusy, make: () => void make(true) }
}
