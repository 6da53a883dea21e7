import type { FuzzRequest } from './requests'
import type { Outcome } from './send'

/** Internals that a reply must never contain: source paths and database queries. */
const innards = [
  /\n\s+at /,
  /\.[jt]s:\d+/,
  /node_modules|better-sqlite|@grpc|kysely/,
  /Cannot read prop|is not a function|is not iterable|Maximum call stack|\[object Object\]/,
  /SQLITE|SqliteError|no such (table|column|function)|constraint failed|near ".*": syntax/,
  /violates .* constraint|invalid input syntax|invalid byte sequence|out of range for type/,
  /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE "|CREATE TABLE|json_object)\b/,
]

/** Errors of a caller's own SQL are reported in SQLite's words. */
const takesSql = /^\/api\/docs\/\{docId\}\/sql\b/

/** Every fault of a reply; empty when there is none. */
export function findFaults(request: FuzzRequest, outcome: Outcome): string[] {
  if (outcome.kind === 'cut') return []
  const { status, type, text } = outcome
  if (status >= 500) return [`answered ${status}: ${text}`]
  if (status < 400 || request.method === 'HEAD') return []
  const error = readError(type, text)
  if (!error) return [`answered ${status} without an error text: ${text}`]
  if (takesSql.test(request.path)) return []
  return innards.filter((sign) => sign.test(text)).map((sign) => `shows ${sign}: ${text}`)
}

function readError(type: string, text: string): string {
  if (!type.startsWith('application/json')) return ''
  const { error } = JSON.parse(text) as { error?: unknown }
  return typeof error === 'string' ? error : ''
}

/** True when nothing may have changed. */
export function changesNothing({ method }: FuzzRequest, outcome: Outcome): boolean {
  return outcome.kind === 'cut' || outcome.status >= 400 || ['GET', 'HEAD'].includes(method)
}

/** A request in readable form, sufficient to send it again. */
export function show({ method, path, headers, body, cutAt }: FuzzRequest): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const cut = cutAt === undefined ? [] : [`(cut after ${cutAt} bytes)`]
  return [`${method} ${path}`, ...head, body?.toString().slice(0, 3_000) ?? '', ...cut].join('\n')
}
