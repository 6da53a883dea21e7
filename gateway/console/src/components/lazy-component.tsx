import { useEffect, useState, type ComponentType, type ReactNode } from 'react'
import { Button } from './button'
import { Loading } from './states'

/** A component whose code is loaded on demand. */
export interface LazyComponent<Props> {
  (props: Props): ReactNode
  /** Begins to load its code. */
  readonly preload: () => void
}

/**
 * Returns a component whose code is loaded when it is shown first, with `fallback` in its place until then. If the code cannot be
 * loaded, a message with a button to reload the page is in its place: browsers may remember that a file could not be loaded, and
 * after an update of Sheaf it has another name.
 *
 * It does without React's `lazy` and `Suspense`, which keep a fallback for up to 300 ms after the last one was shown, although the
 * code is there.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback?: ReactNode,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined
  const start = async () => (loaded ??= await load())
  function Lazy(props: Props): ReactNode {
    const [{ Component, hasFailed }, setState] = useState<{
      readonly Component?: ComponentType<Props>
      readonly hasFailed?: boolean
    }>({ Component: loaded })
    useEffect(() => {
      if (loaded) return
      start().then(
        (component) => setState({ Component: component }),
        () => setState({ hasFailed: true }),
      )
    }, [])
    if (Component) return <Component {...props} />
    return hasFailed ? <NotLoaded /> : fallback
  }
  // Whoever shows the component learns why it cannot be loaded.
  Lazy.preload = () => void start().catch(() => undefined)
  return Lazy
}

function NotLoaded(): ReactNode {
  return (
    <div className="state error" role="alert">
      <p className="state-title">This part of the console could not be loaded.</p>
      <p>Reload the page to continue.</p>
      <Button onClick={() => window.location.reload()}>Reload</Button>
    </div>
  )
}

/** Returns a page that is loaded when it is shown first, so that no page waits for the code of others. */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  return lazyComponent(load, <Loading what="the page" />)
}
