import {
  propagation,
  ROOT_CONTEXT,
  trace,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api'

/** Returns the context that a W3C traceparent describes; the root context for an empty one. */
export function extractContext(traceparent: string): Context {
  return propagation.extract(ROOT_CONTEXT, { traceparent })
}

/** Returns the W3C traceparent of a context's span; empty when it has none. */
export function injectContext(from: Context): string {
  const carrier: Record<string, string> = {}
  propagation.inject(from, carrier)
  return carrier.traceparent ?? ''
}

/** Returns the W3C traceparent that makes a remote span a child of this one. */
export function traceparentOf(span: Span): string {
  return injectContext(trace.setSpan(ROOT_CONTEXT, span))
}

/** Returns links to the spans that these W3C traceparents name. */
export function linksTo(traceparents: readonly string[]): Link[] {
  return traceparents.flatMap((traceparent) => {
    const context = trace.getSpanContext(extractContext(traceparent))
    return context ? [{ context }] : []
  })
}
