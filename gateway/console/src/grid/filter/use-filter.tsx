import { useCallback, useRef, useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { Button } from '../../components/button'
import { Popover } from '../../components/overlays/popover'
import { useGridViewContext } from '../view/view-context'
import { FilterChips } from './filter-chips'
import { FilterItems, type FilterForm } from './filter-item'
import {
  countConditions,
  createId,
  newCondition,
  readTree,
  replaceItem,
  restOf,
  toFilter,
} from './filter-tree'
import { useFilterDraft, type FilterRequest } from './use-filter-draft'

/** The filter of a grid. */
export interface GridFilter {
  /** The button that opens the form. */
  readonly button: ReactNode
  /** The parts of the filter in words. */
  readonly chips: ReactNode
  /** Opens the form. */
  readonly open: (request: FilterRequest) => void
}

/** The filter of a grid: its button with the form, and what it says. Both belong into a GridViewContext. */
export function useFilter(context: CellContext, columns: readonly Column[]): GridFilter {
  const [request, setRequest] = useState<FilterRequest>()
  const close = useCallback(() => setRequest(undefined), [])
  return {
    open: setRequest,
    button: (
      <FilterButton
        context={context}
        columns={columns}
        request={request}
        onOpen={() => setRequest({})}
        onClose={close}
      />
    ),
    chips: <FilterChips context={context} columns={columns} onOpen={() => setRequest({})} />,
  }
}

interface FilterButtonProps {
  readonly context: CellContext
  readonly columns: readonly Column[]
  readonly request: FilterRequest | undefined
  readonly onOpen: () => void
  readonly onClose: () => void
}

function FilterButton(props: FilterButtonProps): ReactNode {
  const { context, columns, request, onOpen, onClose } = props
  const { view } = useGridViewContext()
  const count = countConditions(readTree(view.filter, columns))
  if (columns.length === 0) return null
  return (
    <Popover
      label="Filter"
      button={count > 0 ? `Filter (${count})` : 'Filter'}
      isOpen={request !== undefined}
      onOpen={onOpen}
      onClose={onClose}
    >
      {request && (
        <FilterPanel context={context} columns={columns} request={request} onClose={onClose} />
      )}
    </Popover>
  )
}

interface FilterPanelProps {
  readonly context: CellContext
  readonly columns: readonly Column[]
  readonly request: FilterRequest
  readonly onClose: () => void
}

function FilterPanel({ context, columns, request, onClose }: FilterPanelProps): ReactNode {
  const { tree, focusedId, fault, change } = useFilterDraft(columns, request)
  const adding = useRef<HTMLButtonElement>(null)
  const form: FilterForm = {
    columns,
    context,
    focusedId,
    change(id, next) {
      change({ ...tree, items: replaceItem(tree.items, id, next) })
      // The button that was pressed is gone.
      if (!next) adding.current?.focus()
    },
    restOf: (id) => toFilter(restOf(tree, id), columns),
  }
  const add = (isGroup: boolean) => {
    const added = newCondition(columns[0])
    if (!added) return
    const join = tree.join === 'and' ? 'or' : 'and'
    const item = isGroup ? ({ id: createId(), join, items: [added] } as const) : added
    change({ ...tree, items: [...tree.items, item] }, added.id)
  }
  return (
    <div className="filter-form">
      {tree.items.length === 0 && <p className="note">All rows are shown.</p>}
      <FilterItems
        form={form}
        items={tree.items}
        join={tree.join}
        onJoin={(join) => change({ ...tree, join })}
      />
      {fault !== undefined && (
        <p className="note error" role="alert">
          {fault}
        </p>
      )}
      <div className="filter-actions">
        <Button ref={adding} onClick={() => add(false)}>
          Add condition
        </Button>
        <Button onClick={() => add(true)}>Add group</Button>
        {tree.items.length > 0 && (
          <Button
            kind="quiet"
            onClick={() => {
              change({ join: 'and', items: [] })
              adding.current?.focus()
            }}
          >
            Clear
          </Button>
        )}
        <Button kind="quiet" className="filter-done" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
