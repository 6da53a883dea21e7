import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { RequestHandler } from 'express'
import type { SheafResponse } from '../http/exchange'
import { pathsOf, type Route } from '../routing/route'

/** Longest path repeated in an error; ids of documents and tables must stay recognizable. */
const MAX_PATH = 200

/** Of the Grist API these are known to answer 404, and its clients may depend on that. */
const answeredAsNotFound = new Set([
  'DELETE /api/docs/{docId}/tables/{tableId}/records',
  'PUT /api/docs/{docId}/tables/{tableId}/data',
  'POST /api/docs/{docId}',
  'DELETE /api/docs/{docId}/tables',
])

/** What is needed of a row of the table of routes. */
export type NamedRoute = Pick<Route, 'method' | 'path' | 'alias'>

interface KnownPath {
  readonly path: string
  readonly pattern: RegExp
  /** In upper case. */
  readonly methods: readonly string[]
}

/** What is wrong with a request whose path has routes, but none for its method. */
export interface WrongMethod {
  /** Template of the path. */
  readonly path: string
  /** Methods of the path, for the header `Allow`. */
  readonly allowed: readonly string[]
  /** The call that does what the method usually does. */
  readonly suggestion?: string
}

/**
 * Responds to requests that match no route: with 405 and `Allow` where the path has routes for other methods, otherwise
 * with 404.
 */
export function unmatched(routes: readonly NamedRoute[]): RequestHandler {
  const find = createMethodFinder(routes)
  return ({ method, path, originalUrl }, response) => {
    const url = shorten(originalUrl, MAX_PATH)
    const wrong = find(method, path)
    if (!wrong) throw new AppError('not_found', 'NOT_FOUND', `not found: ${url}`)
    const allowed = wrong.allowed.join(', ')
    const { headers } = (response as SheafResponse).locals.exchange
    headers.push('Allow', allowed)
    throw toError(wrong, { method, url, allowed })
  }
}

function toError(
  { path, suggestion }: WrongMethod,
  { method, url, allowed }: { method: string; url: string; allowed: string },
): AppError {
  const hint = suggestion === undefined ? '' : `; ${describe(suggestion, path)}`
  const details = { allowed, ...(suggestion !== undefined && { suggestion }) }
  const reason = `this path has ${allowed}${hint}`
  if (answeredAsNotFound.has(`${method} ${path}`))
    return new AppError('not_found', 'NOT_FOUND', `not found: ${method} ${url}; ${reason}`, details)
  const message = `${method} is not allowed here: ${reason}`
  return new AppError('not_allowed', 'METHOD_NOT_ALLOWED', message, details)
}

/** `POST …/records/delete deletes` */
function describe(suggestion: string, path: string): string {
  const [method = '', target = ''] = suggestion.split(' ')
  const parent = path.slice(0, path.lastIndexOf('/'))
  const shown = target === path ? 'it' : `…${target.slice(parent.length)}`
  if (target.endsWith('/delete')) return `${method} ${shown} deletes`
  return target === path ? `${method} changes ${shown}` : `use ${method} ${shown}`
}

/** Finds out which methods a path has that does not have the given one. */
export function createMethodFinder(
  routes: readonly NamedRoute[],
): (method: string, path: string) => WrongMethod | undefined {
  const paths = [...new Set(routes.flatMap(pathsOf))].filter(isTelling).map(compile(routes))
  return (method, url) => {
    const found = paths.filter(({ pattern }) => pattern.test(url))
    const [first] = found
    if (!first) return undefined
    const methods = found.flatMap((known) => known.methods)
    const suggestion = suggest(method, first, paths)
    const { path } = first
    return { path, allowed: listAllowed(methods), ...(suggestion !== undefined && { suggestion }) }
  }
}

/** A parameter after a parameter is a name that confirms a deletion: every path would match it. */
function isTelling(path: string): boolean {
  return !/\}\/\{\w+\}$/.test(path)
}

function compile(routes: readonly NamedRoute[]): (path: string) => KnownPath {
  return (path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
    methods: routes
      .filter((route) => pathsOf(route).includes(path))
      .map(({ method }) => method.toUpperCase()),
  })
}

function listAllowed(methods: readonly string[]): string[] {
  const all = new Set([...methods, 'OPTIONS'])
  if (all.has('GET')) all.add('HEAD')
  return [...all].sort()
}

/** The two methods that change something: clients confuse them. */
const alike: Readonly<Record<string, string>> = { PUT: 'PATCH', PATCH: 'PUT' }

function suggest(method: string, wrong: KnownPath, paths: readonly KnownPath[]) {
  const other = alike[method]
  if (other !== undefined && wrong.methods.includes(other)) return `${other} ${wrong.path}`
  const removal = paths.find(({ path }) => path === `${wrong.path}/delete`)
  if (method === 'DELETE' && removal?.methods.includes('POST')) return `POST ${removal.path}`
  const isItem = ({ path }: KnownPath) =>
    path.startsWith(`${wrong.path}/{`) && !path.includes('/', wrong.path.length + 1)
  const item = paths.find((known) => known.methods.includes(method) && isItem(known))
  return item && `${method} ${item.path}`
}
