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
import { describeError } from './states'

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'error'
}

/** Tells people in passing what has happened. */
interface Toaster {
  readonly tell: (text: string) => void
  readonly fail: (error: unknown) => void
}

/** Takes a place for toasts; what it returns gives the place up. */
type TakePlace = (place: HTMLElement) => () => void

const ToasterContext = createContext<Toaster | undefined>(undefined)
const PlaceContext = createContext<TakePlace>(() => () => {})
const SHOWN_MS = 6_000
const MOST = 4

/** The toaster of the page. */
export function useToaster(): Toaster {
  const toaster = use(ToasterContext)
  if (!toaster) throw new Error('there is no toaster here')
  return toaster
}

/** Shows what its children tell; errors stay until they are closed. */
export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const [places, setPlaces] = useState<readonly HTMLElement[]>([])
  const lastId = useRef(0)
  const drop = useCallback((id: number) => {
    setToasts((shown) => shown.filter((toast) => toast.id !== id))
  }, [])
  const toaster = useMemo<Toaster>(() => {
    const add = (kind: Toast['kind'], text: string) => {
      const id = ++lastId.current
      setToasts((shown) => [...shown, { id, text, kind }].slice(-MOST))
      if (kind === 'done') setTimeout(() => drop(id), SHOWN_MS)
    }
    return {
      tell: (text) => add('done', text),
      fail: (error) => add('error', describeError(error)),
    }
  }, [drop])
  const takePlace = useCallback<TakePlace>((place) => {
    setPlaces((taken) => [...taken, place])
    return () => setPlaces((taken) => taken.filter((other) => other !== place))
  }, [])
  const place = places.at(-1)
  return (
    <ToasterContext value={toaster}>
      <PlaceContext value={takePlace}>
        <ToastPlace />
        {children}
        {place && createPortal(<Toasts toasts={toasts} onDismiss={drop} />, place)}
      </PlaceContext>
    </ToasterContext>
  )
}

/**
 * Where toasts are shown and announced; the one that was made last has them. All but the open dialog is out of reach, so
 * each dialog has one of its own. It is there, and empty, before there are toasts: else nobody would be told of them.
 */
export function ToastPlace(): ReactNode {
  const takePlace = use(PlaceContext)
  const ref = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => (ref.current ? takePlace(ref.current) : undefined), [takePlace])
  return <div ref={ref} className="toasts" role="status" aria-live="polite" />
}

interface ToastsProps {
  readonly toasts: readonly Toast[]
  readonly onDismiss: (id: number) => void
}

function Toasts({ toasts, onDismiss }: ToastsProps): ReactNode {
  return toasts.map(({ id, kind, text }) => (
    <div key={id} className={`toast ${kind}`}>
      <span>{text}</span>
      <Button kind="quiet" className="icon" aria-label="Dismiss" onClick={() => onDismiss(id)}>
        ✕
      </Button>
    </div>
  ))
}
