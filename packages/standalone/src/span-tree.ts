/** The parts of a span that its tree shows. Times are in milliseconds from a common origin. */
export interface Span {
  readonly service: string
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root span. */
  readonly parentSpanId: string
  readonly start: number
  readonly end: number
  readonly isError: boolean
  /** Attributes shown after its name. */
  readonly facts: Readonly<Record<string, string | number | boolean>>
}

/** Longest service name, to align the output in a column. */
const SERVICE_WIDTH = 'document-data'.length
/** Maximum depth of a tree, and maximum number of lines. */
const MAX_DEPTH = 12
const MAX_LINES = 60

/** Renders the spans of a trace below `root` as lines with start, duration, service and name. */
export function renderTree(root: Span, spans: readonly Span[]): string[] {
  const below = new Map<string, Span[]>()
  for (const span of spans) {
    const known = below.get(span.parentSpanId) ?? []
    known.push(span)
    below.set(span.parentSpanId, known)
  }
  const lines: string[] = []
  const add = (span: Span, depth: number) => {
    if (depth > MAX_DEPTH || lines.length >= MAX_LINES) return
    lines.push(renderSpan(span, root.start, depth))
    const children = (below.get(span.spanId) ?? []).sort((a, b) => a.start - b.start)
    for (const child of children) add(child, depth + 1)
  }
  add(root, 0)
  const left = spans.length - lines.length
  return left > 0 && lines.length >= MAX_LINES ? [...lines, `… and ${left} more`] : lines
}

function renderSpan(span: Span, from: number, depth: number): string {
  const facts = Object.entries(span.facts).map(([name, value]) => `${name}=${value}`)
  return [
    `+${toMs(span.start - from)}`.padStart(10),
    toMs(span.end - span.start).padStart(10),
    span.service.replace(/^sheaf-/, '').padEnd(SERVICE_WIDTH),
    '  '.repeat(depth) + span.name,
    ...(span.isError ? ['FAILED'] : []),
    ...facts,
  ].join('  ')
}

const toMs = (ms: number): string => `${ms.toFixed(1)} ms`
