import { useCallback, useMemo, useState } from 'react'
import type { Column } from '../../api/resources'
import { plainArrangement, type Arrangement } from '../arrangement/arrangement'
import { readStored, toStored, type StoredArrangement } from '../arrangement/stored-arrangement'
import type { ArrangementPlace } from '../arrangement/use-arrangement'
import type { ChosenView } from './use-chosen-view'
import { arrangementOf } from './view-settings'

/** What somebody has changed in the arrangement of a view. */
interface Draft {
  readonly viewId: number
  readonly arrangement: StoredArrangement
}

/** The arrangement of the chosen view, whose changes are kept in memory. */
export interface ViewArrangement extends ArrangementPlace {
  /** Forgets the changes of the arrangement, or only these if there are no later ones. */
  readonly forget: (only?: Draft) => void
  readonly draft: Draft | undefined
}

/** The arrangement of a table by the chosen view. Changes of it are not stored. */
export function useViewArrangement(
  { viewId = 0, chosen }: ChosenView,
  columns: readonly Column[],
): ViewArrangement {
  const [kept, setKept] = useState<Draft>()
  const draft = kept?.viewId === viewId ? kept : undefined
  const arrangement = useMemo<Arrangement>(() => {
    const ids = columns.map(({ id }) => id)
    const saved = chosen ? arrangementOf(chosen.fields, ids) : plainArrangement(ids)
    return (draft && readStored(draft.arrangement, columns)) ?? saved
  }, [draft, chosen, columns])
  const keep = useCallback(
    (next: Arrangement | null) =>
      setKept(next ? { viewId, arrangement: toStored(next, columns) } : undefined),
    [viewId, columns],
  )
  const forget = useCallback(
    (only?: Draft) => setKept((now) => (only && now !== only ? now : undefined)),
    [],
  )
  return useMemo(
    () => ({ arrangement, isArranged: draft !== undefined, keep, forget, draft }),
    [arrangement, draft, keep, forget],
  )
}
