import {
  createContext,
  use,
  useCallback,
  useEffect,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { isPassing } from '../api/passing-error'
import { docOf } from '../api/sheaf'
import { isEntry } from '../components/entry'
import { describeError } from '../components/states'
import { useToaster } from '../components/toast'
import { useLiveChanges } from '../live/live-provider'
import { UndoStack, type UndoState } from './undo-stack'

/** Undo and redo of the changes of a document that were made in this page. */
interface Undo {
  readonly stack: UndoStack
  /** Undoes or redoes a change with one of the methods of the stack, and shows what was done. */
  readonly run: (command: keyof UndoState, step?: () => Promise<string | undefined>) => void
}

const UndoContext = createContext<Undo | undefined>(undefined)

/** Milliseconds after which an undo that waits for a write is worth a message. */
const UNSAVED_MS = 500

const words = { undo: ['Undone', 'undone'], redo: ['Redone', 'redone'] } as const

function useUndo(): Undo {
  const undo = use(UndoContext)
  if (!undo) throw new Error('useUndo requires an UndoProvider')
  return undo
}

/** Returns a function that records a change while it is written: see UndoStack. */
export function useRecordChange(): UndoStack['record'] {
  const { stack } = useUndo()
  return useCallback((label, written) => stack.record(label, written), [stack])
}

/** Returns a function that records a change, and says that it was made, with a button that undoes it. */
export function useAnnounceChange(): (label: string, written: Promise<number | undefined>) => void {
  const { stack, run } = useUndo()
  const toaster = useToaster()
  return useCallback(
    (label, written) => {
      const undo = stack.record(label, written)
      const onSelect = () => run('undo', undo)
      written.then(
        (seq) => seq !== undefined && toaster.show(`${label}.`, { label: 'Undo', onSelect }),
        () => {},
      )
    },
    [stack, run, toaster],
  )
}

/** Returns a function that undoes the change at a position of a document; in its pages, as one that Ctrl+Z undoes. */
export function useUndoAt(docId: string): (position: number) => Promise<unknown> {
  const undo = use(UndoContext)
  return (position) => (undo ? undo.stack.undoAt(position) : docOf(docId).undo(position))
}

/** Returns what can be undone and redone, and the commands that do. */
export function useUndoCommands(): UndoState & Pick<Undo, 'run'> {
  const { stack, run } = useUndo()
  const state = useSyncExternalStore(stack.watchState, stack.readState)
  return useMemo(() => ({ ...state, run }), [state, run])
}

/** Provides undo and redo to the pages of a document: Ctrl+Z, and Ctrl+Shift+Z or Ctrl+Y. */
export function UndoProvider(props: {
  readonly docId: string
  /** True while a former moment is shown, where nothing can be changed. */
  readonly isPaused: boolean
  readonly children: ReactNode
}): ReactNode {
  const { docId, isPaused, children } = props
  const toaster = useToaster()
  const undo = useMemo<Undo>(() => {
    const stack = new UndoStack((seq) => docOf(docId).undo(seq), isPassing)
    const tellUnsaved = (): boolean => {
      const unsaved = stack.readUnsaved()
      if (unsaved === undefined) return false
      toaster.show(`Not saved yet: ${unsaved}. It is undone once it is saved.`)
      return true
    }
    return {
      stack,
      run(command, step = stack[command]) {
        if (tellUnsaved()) return
        const [done, participle] = words[command]
        const what = stack.readState()[command] ?? 'The change'
        const timer = setTimeout(tellUnsaved, UNSAVED_MS)
        step()
          .finally(() => clearTimeout(timer))
          .then(
            (label) => label !== undefined && toaster.show(`${done}: ${label}.`),
            (error: unknown) => {
              const reason = describeError(error)
              toaster.showError(new Error(`${what} could not be ${participle}: ${reason}`))
            },
          )
      },
    }
  }, [docId, toaster])
  const { clear } = undo.stack
  useLiveChanges(
    useMemo(() => ({ onChange: () => {}, onGap: () => {}, onOtherLog: clear }), [clear]),
  )
  useEffect(() => {
    if (isPaused) return
    const handleKey = (event: KeyboardEvent) => {
      const command = commandOf(event)
      if (!command || event.defaultPrevented || isEntry(event)) return
      event.preventDefault()
      undo.run(command)
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [undo, isPaused])
  return <UndoContext value={undo}>{children}</UndoContext>
}

function commandOf(event: KeyboardEvent): keyof UndoState | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined
  const key = event.key.toLowerCase()
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' && !event.shiftKey ? 'redo' : undefined
}
