import type { IHeaderParams } from 'ag-grid-community'
import { use, useEffect, useRef, type MouseEvent, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { isComputed } from '../../formats/column'
import { shorten } from '../../formats/shorten'
import { typeText } from '../../structure/columns/column-types'
import { TypeIcon } from '../../structure/columns/type-icon'
import { namesColumn } from '../filter/filter-tree'
import { sortOf, withNextSort } from '../view/grid-view'
import { useGridViewContext } from '../view/view-context'
import { ColumnMenuContext } from './column-menu-context'

interface ColumnHeaderProps extends IHeaderParams {
  readonly shown: Column
}

/** Characters of a description, and of a formula, in a tooltip. */
const MAX_TITLE = 400
/** Pixels that the pointer moves in a click. Beyond, it has dragged the column. */
const CLICK_PIXELS = 4

/** A column header: icon of the type, name, sort order, filter indicator and menu. */
export function ColumnHeader({ shown, eGridHeader }: ColumnHeaderProps): ReactNode {
  const { view, setView } = useGridViewContext()
  const openMenu = use(ColumnMenuContext)
  const { id, fields } = shown
  const sort = sortOf(view, id)
  const ariaSort = sort ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  // After every render, because AG Grid removes the attribute when the columns change.
  useEffect(() => eGridHeader.setAttribute('aria-sort', ariaSort))
  const pressedAt = useRef(0)
  const isDragged = ({ clientX, detail }: MouseEvent) =>
    detail > 0 && Math.abs(clientX - pressedAt.current) > CLICK_PIXELS
  const label = fields.label || id
  const open = (event: MouseEvent) => {
    event.stopPropagation()
    openMenu(shown, eGridHeader)
  }
  return (
    <div
      className="head"
      title={titleOf(shown)}
      onPointerDown={({ clientX }) => {
        pressedAt.current = clientX
      }}
      onClick={(event) => {
        if (!isDragged(event)) setView(withNextSort(view, id, event.shiftKey))
      }}
      onContextMenu={(event) => {
        event.preventDefault()
        open(event)
      }}
    >
      <span className="head-type" aria-hidden="true">
        <TypeIcon type={fields.type} />
        {fields.formula !== '' && <i>{isComputed(shown) ? 'ƒ' : 'ƒ*'}</i>}
      </span>
      <span className="head-label">{label}</span>
      <span className="visually-hidden">
        {fields.formula !== '' && (isComputed(shown) ? 'formula, ' : 'trigger formula, ')}
        {typeText(fields.type)}
      </span>
      {namesColumn(view.filter, id) && (
        <span className="head-sign">
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d="M1 1.5h10L7 6.5V11L5 9.5v-3z" fill="currentColor" />
          </svg>
          <span className="visually-hidden">filtered</span>
        </span>
      )}
      {sort && (
        <span className="head-sign" aria-hidden="true">
          {sort.isDescending ? '↓' : '↑'}
          {view.sort.length > 1 && <sub>{sort.position + 1}</sub>}
        </span>
      )}
      <button
        type="button"
        className="head-menu"
        tabIndex={-1}
        aria-label={`Column menu: ${label}`}
        aria-haspopup="menu"
        onClick={open}
      >
        ⋮
      </button>
    </div>
  )
}

/** The type of a column, its description, and the beginning of its formula. */
function titleOf({ id, fields }: Column): string {
  const { label, type, description, formula } = fields
  const formulaText = formula === '' ? '' : `= ${shorten(formula, MAX_TITLE)}`
  const parts = [`${label || id}: ${typeText(type)}`, shorten(description, MAX_TITLE), formulaText]
  return parts.filter((part) => part !== '').join('\n')
}
