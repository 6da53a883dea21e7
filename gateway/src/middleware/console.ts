import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { ConsoleFile, ConsoleFiles } from '../pages/console-files'
import type { Exchange, RouteTraits, Stage } from '../http/exchange'
import { accepts, codings } from '../http/compression'
import { knows } from '../http/entity-tags'
import { sendBytes, sendHead } from '../http/reply'
import { pageHead } from '../pages/page-headers'

const PATH = /^\/console(?:\/([^?#]*))?(?:$|[?#])/
const ROOT = /^\/(?:$|[?#])/
/** The page of a form; its key is read by the page. */
const FORM = /^\/forms\/[^/?#]+(?:$|[?#])/
/** File names contain a content hash, so browsers never need to revalidate them. */
const FOREVER = 'public, max-age=31536000, immutable'
/** The page of a table, below `/console/`. */
const TABLE = /^docs\/[\w-]+(?:\/tables\/\w+)?$/
/** The part of the console that such a page needs besides; named after its first module. */
const GRID = /^assets\/table-grid-[\w-]+\.(js|css)$/
const route: RouteTraits = { path: '/console/*', isPage: true }
const formRoute: RouteTraits = { path: '/forms/{formKey}', isPage: true }

/**
 * Serves the console below `/console/`, redirects `/` to it, and serves the page of forms. A path that names no file is one of its pages, which the console
 * routes itself. Throws AppError `not_found` for an unknown file, and when the console has not been built.
 */
export function consolePages(files: ConsoleFiles): Stage {
  const preloads = preloadsOf(files)
  return (exchange) => {
    const { method, url = '' } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') return false
    // Not permanently: a proxy may serve another page there one day, and browsers remember.
    if (ROOT.test(url)) return redirect(exchange, 302)
    if (FORM.test(url)) {
      exchange.begin(formRoute)
      sendFile(exchange, findFile(files, 'form.html'))
      return true
    }
    const [matched, path] = PATH.exec(url) ?? []
    if (matched === undefined) return false
    if (path === undefined) return redirect(exchange, 308)
    exchange.begin(route)
    if (TABLE.test(path) && preloads) exchange.headers.push('Link', preloads)
    sendFile(exchange, findFile(files, path))
    return true
  }
}

/**
 * The Link header by which a browser loads the grid beside the console, not after it (HTML, "Processing Link headers").
 * Undefined when the console has not been built.
 */
function preloadsOf(files: ConsoleFiles): string | undefined {
  const links = [...files.keys()].flatMap((path) => {
    const kind = GRID.exec(path)?.[1]
    if (kind === undefined) return []
    return [
      `</console/${path}>; rel=${kind === 'js' ? 'modulepreload' : 'preload; as=style'}; crossorigin`,
    ]
  })
  return links.join(', ') || undefined
}

/** Sends a file in the shortest form that the client accepts. */
function sendFile(exchange: Exchange, file: ConsoleFile): void {
  const { request, headers, response } = exchange
  const { mediaType, isImmutable, encoded } = file
  const coding = codings.find((one) => encoded.has(one) && accepts(request, one))
  const { bytes, etag } = (coding && encoded.get(coding)) ?? file
  if (encoded.size > 0) headers.push('Vary', 'Accept-Encoding')
  headers.push('ETag', etag)
  const head = { ...pageHead, mediaType, ...(isImmutable && { cache: FOREVER }) }
  if (knows(request.headers['if-none-match'], etag)) {
    sendHead(exchange, { ...head, status: 304 })
    response.end()
    return
  }
  if (coding) headers.push('Content-Encoding', coding)
  sendBytes(exchange, bytes, { ...head, length: bytes.length })
}

function redirect(exchange: Exchange, status: number): true {
  exchange.begin(route)
  sendHead(exchange, { status, length: 0, headers: ['Location', '/console/'] })
  exchange.response.end()
  return true
}

function findFile(files: ConsoleFiles, path: string): ConsoleFile {
  const index = files.get('')
  if (!index)
    throw new AppError(
      'not_found',
      'CONSOLE_NOT_BUILT',
      'the console is not built: run `make build`',
    )
  const file = files.get(path)
  if (file) return file
  if (path.startsWith('assets/'))
    throw new AppError('not_found', 'NOT_FOUND', `not found: /console/${shorten(path)}`)
  return index
}
