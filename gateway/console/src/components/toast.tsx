import {
  createContext,
  use,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { createPortal } from 'react-dom'
import { Button } from './button'
import { withToast } from './kept-toasts'
import { describeError } from './states'

/** A button of a toast. */
interface ToastAction {
  readonly label: string
  readonly onSelect: () => void
}

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'error'
  readonly action?: ToastAction
}

/** Shows brief notifications. */
interface Toaster {
  readonly show: (text: string, action?: ToastAction) => void
  readonly showError: (error: unknown) => void
}

/** Registers an outlet for toasts; returns a function that unregisters it. */
type RegisterOutlet = (outlet: HTMLElement) => () => void

const ToasterContext = createContext<Toaster | undefined>(undefined)
const OutletContext = createContext<RegisterOutlet>(() => () => {})
const SHOWN_MS = 6_000
/** Longer with a button, which takes time to read and to reach. */
const ACTION_MS = 12_000
const MAX_TOASTS = 4

/** Returns the toaster of the page. Throws outside of ToastProvider. */
export function useToaster(): Toaster {
  const toaster = use(ToasterContext)
  if (!toaster) throw new Error('useToaster requires a ToastProvider')
  return toaster
}

/** Shows the toasts of its children. Errors stay until they are dismissed. */
export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const [outlets, setOutlets] = useState<readonly HTMLElement[]>([])
  const lastId = useRef(0)
  const dismiss = useCallback((id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id))
  }, [])
  const toaster = useMemo<Toaster>(() => {
    const add = (toast: Omit<Toast, 'id'>) => {
      const id = ++lastId.current
      setToasts((shown) => withToast(shown, { ...toast, id }, MAX_TOASTS))
      if (toast.kind === 'done') setTimeout(() => dismiss(id), toast.action ? ACTION_MS : SHOWN_MS)
    }
    return {
      show: (text, action) => add({ kind: 'done', text, action }),
      showError: (error) => add({ kind: 'error', text: describeError(error) }),
    }
  }, [dismiss])
  const register = useCallback<RegisterOutlet>((outlet) => {
    setOutlets((registered) => [...registered, outlet])
    return () => setOutlets((registered) => registered.filter((other) => other !== outlet))
  }, [])
  const outlet = outlets.at(-1)
  return (
    <ToasterContext value={toaster}>
      <OutletContext value={register}>
        <ToastOutlet />
        {children}
        {outlet && createPortal(<Toasts toasts={toasts} onDismiss={dismiss} />, outlet)}
      </OutletContext>
    </ToasterContext>
  )
}

/**
 * The live region that shows and announces toasts. Toasts appear in the outlet mounted last: while a modal
 * dialog is open, everything outside of it is inert, so each dialog has an outlet of its own. The region is
 * mounted empty, because screen readers do not announce text that is inserted together with its region.
 */
export function ToastOutlet(): ReactNode {
  const register = use(OutletContext)
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => (ref.current ? register(ref.current) : undefined), [register])
  return <div ref={ref} className="toasts" role="status" aria-live="polite" />
}

interface ToastsProps {
  readonly toasts: readonly Toast[]
  readonly onDismiss: (id: number) => void
}

function Toasts({ toasts, onDismiss }: ToastsProps): ReactNode {
  return toasts.map(({ id, kind, text, action }) => (
    <div key={id} className={`toast ${kind}`}>
      <span>{text}</span>
      {action && (
        <Button
          kind="quiet"
          onClick={() => {
            onDismiss(id)
            action.onSelect()
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" className="icon" aria-label="Dismiss" onClick={() => onDismiss(id)}>
        ✕
      </Button>
    </div>
  ))
}
