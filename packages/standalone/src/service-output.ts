/** Longest service name, to align the output in a column. */
const NAME_WIDTH = 'document-data'.length
const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
}
/** Fields of a log line that are shown elsewhere or not at all. */
const plain = new Set([
  'level',
  'time',
  'service',
  'name',
  'pid',
  'hostname',
  'msg',
  'err',
  'trace_id',
  'span_id',
])

/** Formatted for terminals, or raw for log collectors. */
export type OutputForm = 'readable' | 'raw'

/** Renders a line of a service's output with the service's name. */
export function renderLine(service: string, line: string, form: OutputForm): string {
  if (form === 'raw') return `${service} ${line}`
  const prefix = service.padEnd(NAME_WIDTH)
  const entry = readEntry(line)
  if (!entry) return `${prefix}  ${line}`
  const { level, time, msg, err } = entry
  const clock = typeof time === 'string' ? time.slice(11, 19) : ''
  const fields = Object.entries(entry)
    .filter(([name]) => !plain.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const words = [prefix, clock, levels[Number(level)], msg, ...fields, describeError(err)]
  return words.filter((word) => word !== undefined && word !== '').join('  ')
}

/** Returns the message of a log line, without time, fields and stack. */
export function summarizeLine(line: string): string {
  const entry = readEntry(line)
  if (!entry) return line
  const { message } = (entry.err ?? {}) as { message?: string }
  return [entry.msg, message].filter(Boolean).join(': ')
}

function readEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

function describeError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return ''
  const { stack, message } = err as { stack?: string; message?: string }
  return stack ?? message ?? ''
}
