import type { View, ViewSettings } from '@sheaf/client'
import { useMemo, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { leavePage } from '../../components/use-leave-guard'
import {
  useOwnArrangement,
  useTableArrangement,
  type TableArrangement,
} from '../arrangement/use-arrangement'
import { shownSummaries, type ColumnSummary } from '../grouping/summaries'
import { useChosenView } from './use-chosen-view'
import { useViewArrangement } from './use-view-arrangement'
import { useViewChanges } from './use-view-changes'
import { ViewMenu } from './view-menu'
import { changedSettings, settingsOf } from './view-settings'

/** How a table is shown, and the menu of its views. */
interface TableViews {
  /** That of the chosen view, or without one that of the user. */
  readonly arranged: TableArrangement
  /** The summaries of its columns. */
  readonly summaries: readonly ColumnSummary[]
  readonly viewMenu: ReactNode
  /** The chosen view; undefined for none. */
  readonly chosen: View | undefined
  /** Changes fields of the chosen view. What prevents that is shown as a message. */
  readonly update: (fields: ViewSettings) => void
}

/** The views of a table. */
export function useTableViews(context: CellContext, columns: readonly Column[]): TableViews {
  const { tableId, canEdit } = context
  const chosenView = useChosenView(context)
  const { viewId, chosen, shown, choose } = chosenView
  const own = useOwnArrangement(tableId, columns)
  const ofView = useViewArrangement(chosenView, columns)
  const arranged = useTableArrangement(viewId === undefined ? own : ofView, columns)
  const settings = useMemo(() => {
    const all = settingsOf(shown, arranged.arrangement)
    // The column of the lanes is changed for all at once, and not by the address.
    return chosen?.fields.type === 'board' ? { ...all, groupBy: chosen.fields.groupBy } : all
  }, [shown, arranged.arrangement, chosen])
  const changed = useMemo(() => {
    const ids = columns.map(({ id }) => id)
    return chosen ? changedSettings(chosen.fields, settings, ids) : {}
  }, [chosen, settings, columns])
  const chooseAnew = (view: View | undefined) => {
    const go = () => {
      ofView.forget()
      choose(view)
    }
    // A grid stays, with the column that is edited beside it.
    if (view && view.fields.type !== 'grid') leavePage(go)
    else go()
  }
  const changes = useViewChanges(context, chooseAnew)
  const save = () => {
    if (!chosen) return
    const { draft } = ofView
    const saved = changes.update(chosen, changed)
    saved.then(() => draft && ofView.forget(draft), changes.showError)
  }
  const update = (fields: ViewSettings) => {
    if (chosen) changes.update(chosen, fields).catch(changes.showError)
  }
  const viewMenu = (
    <ViewMenu
      {...chosenView}
      columns={columns}
      canEdit={canEdit}
      settings={settings}
      changed={changed}
      changes={changes}
      onChoose={chooseAnew}
      onSave={save}
    />
  )
  const { arrangement, shown: shownColumns } = arranged
  const summaries = useMemo(
    () => shownSummaries(arrangement, shownColumns),
    [arrangement, shownColumns],
  )
  return { arranged, summaries, viewMenu, chosen, update }
}
