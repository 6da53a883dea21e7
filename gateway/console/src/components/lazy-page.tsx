import { lazy, Suspense, type ComponentType, type ReactNode } from 'react'
import { Loading } from './states'

/** Returns a page that is loaded when it is shown first, so that no page waits for the code of others. */
export function lazyPage(load: () => Promise<ComponentType>): ComponentType {
  const Page = lazy(async () => ({ default: await load() }))
  return function LazyPage(): ReactNode {
    return (
      <Suspense fallback={<Loading what="the page" />}>
        <Page />
      </Suspense>
    )
  }
}
