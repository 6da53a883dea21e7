import type { IncomingHttpHeaders } from 'node:http'
import type { VerificationResult } from './verifier'

/** Maximum number of rows printed for one delivery. */
const MAX_ROWS = 100

/** A received request. */
export interface ReceivedDelivery {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly verification: VerificationResult
  /** True when its id was received before. */
  readonly isRepeated: boolean
}

/** Describes a delivery: kind and sender, signature, headers, a line for each row. */
export function describeDelivery(arrival: ReceivedDelivery, now: Date): string {
  const { method, url, headers, body, verification, isRepeated } = arrival
  const rows = readRows(body)
  const what = rows ? `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}` : 'not a JSON array'
  const again = isRepeated ? ', repeated' : ''
  const lines = [
    `${now.toISOString()}  ${method} ${url}  ${what}${again}`,
    `  signature: ${verification.text}`,
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

/** Terminals are recorded and shared, so the value of a secret header is not printed. */
function showHeader(name: string, value: string | string[] | undefined): string {
  const text = [value ?? ''].flat().join(', ')
  return name === 'authorization' ? `(${text.length} characters)` : text
}

/** Removes control characters, which could manipulate a terminal. */
function toPrintable(line: string): string {
  // eslint-disable-next-line no-control-regex -- which is what is taken out
  return line.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')
}
