import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { Button } from '../components/button'
import { Field } from '../components/field'
import { useToaster } from '../components/toast'

/** A column whose values can become its choices. */
export interface ValueColumn {
  readonly docId: string
  readonly tableId: string
  readonly colId: string
  /** True if it has another type, and therefore no choices yet. */
  readonly isConverted: boolean
}

interface ChoicesFieldProps {
  /** One choice per line. */
  readonly choices: string
  readonly onChange: (choices: string) => void
  /** The column as it is stored; undefined for a new one, and for one whose cells are lists. */
  readonly column?: ValueColumn
}

/** Choices that are made from values at most: a list of more is hard to choose from. */
const MAX_CHOICES = 200

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The texts in the cells of a column, the most frequent first; one more than MAX_CHOICES at most. */
const valuesQuery = ({ docId, tableId, colId }: ValueColumn) =>
  queryOptions({
    queryKey: ['column-values', docId, tableId, colId],
    queryFn: async ({ signal }) => {
      const cell = `trim(${quote(colId)})`
      const rows = await docOf(docId).sql<{ value: string }>(
        `select ${cell} as value from ${quote(tableId)} where ${cell} <> '' and instr(${cell}, char(10)) = 0
         group by 1 order by count(*) desc, 1 limit ${MAX_CHOICES + 1}`,
        [],
        { signal },
      )
      return rows.map(({ value }) => String(value))
    },
    staleTime: 0,
    gcTime: 0,
  })

/** The choices of a column. One that had another type begins with its values. */
export function ChoicesField({ choices, onChange, column }: ChoicesFieldProps): ReactNode {
  const client = useQueryClient()
  const toaster = useToaster()
  const [isBusy, setBusy] = useState(false)
  const latest = useRef(choices)
  useEffect(() => {
    latest.current = choices
  }, [choices])
  const make = async (isAsked: boolean) => {
    if (!column) return
    setBusy(true)
    try {
      const values = await client.fetchQuery(valuesQuery(column))
      if (values.length > MAX_CHOICES) {
        if (isAsked) toaster.show(`The column has more than ${MAX_CHOICES} different values.`)
        return
      }
      // What was typed in the meantime stays.
      if (!isAsked && latest.current !== '') return
      const lines = latest.current.split('\n').filter((line) => line.trim() !== '')
      const known = new Set(lines.map((line) => line.trim()))
      onChange([...lines, ...values.filter((value) => !known.has(value))].join('\n'))
    } catch (error) {
      if (isAsked) toaster.showError(error)
    } finally {
      setBusy(false)
    }
  }
  const begin = useRef(() => void (column?.isConverted && choices === '' && make(false)))
  useEffect(() => begin.current(), [])
  return (
    <>
      <Field label="Choices" hint="One per line. Removing a choice does not change existing cells.">
        {(control) => (
          <textarea
            {...control}
            value={choices}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      {column && (
        <Button isBusy={isBusy} onClick={() => void make(true)}>
          Add values of the column
        </Button>
      )}
    </>
  )
}
