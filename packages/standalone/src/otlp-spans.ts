import type { Span } from './span-tree'

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number | boolean>>
}

interface OtlpSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes?: readonly Attribute[]
  readonly status?: { readonly code?: number }
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] }
    readonly scopeSpans?: readonly { readonly spans?: readonly OtlpSpan[] }[]
  }[]
}

const ERROR = 2
const NANOSECONDS_PER_MS = 1e6
/** Attributes that explain durations; the others serve searches. */
const shown =
  /^(sheaf\.(queue_ms|apply_ms|commit_ms|rows|tables|derive\.\w+)|http\.response\.status_code|rpc\.grpc\.status_code)$/

/** Parses the spans of an OTLP request in JSON. Throws for any other input. */
export function readSpans(body: string): Span[] {
  const { resourceSpans = [] } = JSON.parse(body) as ExportRequest
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(readFacts(resource?.attributes, /^service\.name$/)['service.name'] ?? '')
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => toSpan(span, service)))
  })
}

function toSpan(span: OtlpSpan, service: string): Span {
  const { name, traceId, spanId, parentSpanId = '' } = span
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId,
    start: Number(span.startTimeUnixNano) / NANOSECONDS_PER_MS,
    end: Number(span.endTimeUnixNano) / NANOSECONDS_PER_MS,
    isError: span.status?.code === ERROR,
    facts: readFacts(span.attributes, shown),
  }
}

function readFacts(attributes: readonly Attribute[] = [], wanted: RegExp): Span['facts'] {
  const facts: Record<string, string | number | boolean> = {}
  for (const { key, value } of attributes) {
    const [first] = Object.values(value)
    if (first === undefined || !wanted.test(key)) continue
    const number = typeof first === 'number' && !Number.isInteger(first)
    facts[key.replace(/^sheaf\./, '')] = number ? Math.round(first * 10) / 10 : first
  }
  return facts
}
