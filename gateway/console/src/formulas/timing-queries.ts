import { queryOptions } from '@tanstack/react-query'
import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'
import type { Engine } from './formula-check'

/** State of a column with a formula. */
export interface FormulaTiming extends Engine {
  readonly tableId: string
  readonly colId: string
  readonly colRef: number
  /** Cells computed since the document was opened. */
  readonly cells: number
  readonly errors: number
  readonly milliseconds: number
  readonly pendingRows: number
  readonly stopped: 'time' | 'memory' | null
  readonly compiledCells: number
  readonly isTrigger: boolean
  readonly dueCells: number
  readonly missedCells: number
}

/** Interval in which the state is read again while cells are to be computed, in milliseconds. */
const WAITING_MS = 2_000

/** The key of the query below. */
export const timingsKey = (docId: string): readonly string[] => ['formula-timings', docId]

/** The columns with formulas of a document. */
export const timingsQuery = (docId: string) =>
  queryOptions({
    queryKey: timingsKey(docId),
    queryFn: async ({ signal }) => {
      const call = { method: 'GET', path: `${docPath(docId)}/timing` } as const
      return (await sheaf().request<{ columns: FormulaTiming[] }>(call, { signal })).columns
    },
    refetchInterval: ({ state }) => (state.data?.some(isWaiting) ? WAITING_MS : false),
  })

function isWaiting({ pendingRows, dueCells, stopped }: FormulaTiming): boolean {
  return stopped === null && pendingRows + dueCells > 0
}

/** Describes what a formula has not computed; empty when it has computed everything. */
export function describeOpenCells(timing: FormulaTiming): string {
  const { pendingRows, dueCells, missedCells } = timing
  const parts = [
    [pendingRows, 'pending'],
    [dueCells, 'due'],
    [missedCells, 'missed'],
  ] as const
  return parts
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count.toLocaleString()} ${what}`)
    .join(', ')
}
