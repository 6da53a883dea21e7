import { createContext, use, useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
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

const ToasterContext = createContext<Toaster | undefined>(undefined)
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
  return (
    <ToasterContext value={toaster}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, kind, text }) => (
          <div key={id} className={`toast ${kind}`}>
            <span>{text}</span>
            <Button kind="quiet" className="icon" aria-label="Dismiss" onClick={() => drop(id)}>
              ✕
            </Button>
          </div>
        ))}
      </div>
    </ToasterContext>
  )
}
