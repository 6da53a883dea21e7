import type { Route } from './route'
import { createRouteHandler, type PathParams, type RouteHandler } from './run-route'

/** A matched route with its path parameters. */
export interface HotMatch {
  readonly handle: RouteHandler
  readonly params: PathParams
}

interface HotPath {
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly handlers: Map<string, RouteHandler>
}

/**
 * Matches hot routes by method and URL. It matches the plain spelling only: a path with escapes, with a site
 * prefix, or in any other form is left to Express, so that both always agree.
 */
export function createHotMatcher(
  routes: readonly Route[],
): (method?: string, url?: string) => HotMatch | undefined {
  const paths = new Map<string, HotPath>()
  for (const route of routes) {
    const path = paths.get(route.path) ?? compile(route.path)
    path.handlers.set(route.method.toUpperCase(), createRouteHandler(route))
    paths.set(route.path, path)
  }
  const all = [...paths.values()]
  return (method = '', url = '') => {
    for (const { pattern, names, handlers } of all) {
      const found = pattern.exec(url)
      const handle = found && handlers.get(method)
      if (handle) return { handle, params: nameAll(names, found) }
    }
    return undefined
  }
}

function compile(path: string): HotPath {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  // Generated ids consist of these characters.
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([\\w.-]+)')}(?=\\?|$)`)
  return { pattern, names, handlers: new Map() }
}

function nameAll(names: readonly string[], found: RegExpExecArray): PathParams {
  const params: Record<string, string> = {}
  for (const [i, name] of names.entries()) params[name] = found[i + 1] ?? ''
  return params
}
