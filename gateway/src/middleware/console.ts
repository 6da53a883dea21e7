import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { ConsoleFile, ConsoleFiles } from '../pages/console-files'
import type { Exchange, RouteTraits, Stage } from '../http/exchange'
import { sendBytes, sendHead } from '../http/reply'
import { pageHead } from '../pages/page-headers'

const PATH = /^\/console(?:\/([^?#]*))?(?:$|[?#])/
const ROOT = /^\/(?:$|[?#])/
/** File names contain a content hash, so browsers never need to revalidate them. */
const FOREVER = 'public, max-age=31536000, immutable'
const route: RouteTraits = { path: '/console/*', isPage: true }

/**
 * Serves the console below `/console/`, and redirects `/` to it. A path that names no file is one of its pages, which the console
 * routes itself. Throws AppError `not_found` for an unknown file, and when the console has not been built.
 */
export function consolePages(files: ConsoleFiles): Stage {
  return (exchange) => {
    const { method, url = '' } = exchange.request
    if (method !== 'GET' && method !== 'HEAD') return false
    // Not permanently: a proxy may serve another page there one day, and browsers remember.
    if (ROOT.test(url)) return redirect(exchange, 302)
    const [matched, path] = PATH.exec(url) ?? []
    if (matched === undefined) return false
    if (path === undefined) return redirect(exchange, 308)
    exchange.begin(route)
    const { bytes, mediaType, isImmutable } = findFile(files, path)
    const head = { ...pageHead, mediaType }
    sendBytes(exchange, bytes, isImmutable ? { ...head, cache: FOREVER } : head)
    return true
  }
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
