import type { IncomingHttpHeaders } from 'node:http'
import type { Verdict } from './verifier'

/** Rows that are shown of one delivery. */
const MAX_ROWS = 100

/** A request that came. */
export interface Arrival {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly verdict: Verdict
  /** True when its id has come before. */
  readonly isAgain: boolean
}

/** What is shown of a delivery: who and what, signature, headers, a line for each row. */
export function describeDelivery(arrival: Arrival, now: Date): string {
  const { method, url, headers, body, verdict, isAgain } = arrival
  const rows = readRows(body)
  const what = rows ? `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}` : 'not a JSON array'
  const again = isAgain ? ', repeated' : ''
  const lines = [
    `${now.toISOString()}  ${method} ${url}  ${what}${again}`,
    `  signature: ${verdict.text}`,
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${showHeader(name, value)}`),
    ...(rows ?? [body]).slice(0, MAX_ROWS).map((row) => `  ${JSON.stringify(row)}`),
    ...(rows && rows.length > MAX_ROWS ? [`  and ${rows.length - MAX_ROWS} more`] : []),
  ]
  return `${lines.map(toPrintable).join('\n')}\n`
}

function readRows(body: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Terminals are recorded and shared, so what a receiver is trusted by is only told to be there. */
function showHeader(name: string, value: string | string[] | undefined): string {
  const text = [value ?? ''].flat().join(', ')
  return name === 'authorization' ? `(${text.length} characters)` : text
}

/** Without what could steer a terminal. */
function toPrintable(line: string): string {
  // eslint-disable-next-line no-control-regex -- which is what is taken out
  return line.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
