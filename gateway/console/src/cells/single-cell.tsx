import {
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
  type ComponentType,
  type ReactNode,
  type RefObject,
} from 'react'
import type { Column } from '../api/resources'
import { formatCell } from '../formats/cell'
import { cellTypeOf } from './cell-types'
import type { CellContext } from './editing/cell-type'
import type { EditorProps } from './editing/text-editor'

interface SingleCellProps {
  readonly column: Column
  readonly context: CellContext
  readonly value: unknown
}

/** The parts of a cell type that are components, with their own properties. */
interface CellParts {
  /** Uses no more of the properties that AG Grid has for it. */
  readonly cellRenderer?: ComponentType<{ readonly value: unknown }>
  readonly cellRendererParams?: object
  readonly cellEditor: ComponentType<EditorProps>
  readonly cellEditorParams?: object
}

function useCellParts(column: Column, context: CellContext): CellParts {
  return useMemo(
    () => cellTypeOf(column.fields.type).column(column, context) as unknown as CellParts,
    [column, context],
  )
}

/** A value as a cell of the grid shows it. */
export function CellView({ column, context, value }: SingleCellProps): ReactNode {
  const { cellRenderer: Renderer, cellRendererParams } = useCellParts(column, context)
  return Renderer ? <Renderer {...cellRendererParams} value={value} /> : formatCell(value, column)
}

interface CellEditorProps extends SingleCellProps {
  /** The key that opened the editor: a character replaces the value. */
  readonly eventKey: string | null
  /** Ends editing with the entered value, or with the given one if nothing was entered. */
  readonly onDone: (value: unknown) => void
  /** Ends editing without a value. */
  readonly onCancel: () => void
}

/**
 * The editor that the grid has for a column, anywhere else. Enter and leaving it, or its page, are the end of editing; Escape
 * cancels it.
 */
export function CellEditor(props: CellEditorProps): ReactNode {
  const { column, context, eventKey, onDone, onCancel } = props
  const [initialValue] = useState(props.value)
  const [value, setValue] = useState(initialValue)
  const entered = useRef(initialValue)
  const { cellEditor: Editor, cellEditorParams } = useCellParts(column, context)
  const isEnded = useRef(false)
  const end = (how: () => void) => {
    if (!isEnded.current) how()
    isEnded.current = true
  }
  const finish = () => end(() => onDone(entered.current))
  const root = useFinishAtRemoval(finish)
  return (
    <div
      ref={root}
      className="single-editor"
      // What is not focusable in it does not end editing when it is clicked.
      tabIndex={-1}
      // Enter, Escape and arrows of an input method are no keys of an editor, nor of what contains it.
      onKeyDownCapture={(event) => {
        if (event.nativeEvent.isComposing) event.stopPropagation()
      }}
      onKeyDown={(event) => {
        if (event.defaultPrevented) return
        if (event.key === 'Escape') end(onCancel)
        else if (event.key === 'Enter') finish()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The focus is still there while another window has it, such as one that selects files.
        const isInside = (target: Element | null) => currentTarget.contains(target)
        if (!isInside(relatedTarget) && !isInside(document.activeElement)) finish()
      }}
    >
      <Editor
        {...cellEditorParams}
        initialValue={initialValue}
        value={value}
        eventKey={eventKey}
        onValueChange={(next) => {
          entered.current = next
          setValue(next)
        }}
        stopEditing={finish}
      />
    </div>
  )
}

/** Keeps what was entered when the page removes the editor, as Back does. Returns the ref of the element of the editor. */
function useFinishAtRemoval(finish: () => void): RefObject<HTMLDivElement | null> {
  const root = useRef<HTMLDivElement>(null)
  const handleRemoval = useEffectEvent(finish)
  useEffect(() => {
    const element = root.current
    return () => {
      if (element?.isConnected === false) handleRemoval()
    }
  }, [])
  return root
}
