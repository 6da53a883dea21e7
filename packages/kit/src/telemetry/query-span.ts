import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('@sheaf/kit')
const OPERATION = /^\s*([a-z]+)/i

/**
 * Runs a PostgreSQL statement within a span if the active request is traced. The span has the statement's text, which
 * contains no values, and only the code of an error, whose text may quote values.
 */
export async function traceQuery<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()?.isRecording()) return run()
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text,
  }
  return follow(
    tracer.startSpan(`postgresql.${operation}`, { kind: SpanKind.CLIENT, attributes }),
    run,
  )
}

/** Runs the wait for a connection within a span if the active request is traced. */
export async function traceConnect<T>(run: () => Promise<T>): Promise<T> {
  if (!trace.getActiveSpan()?.isRecording()) return run()
  const attributes = { 'db.system.name': 'postgresql' }
  return follow(tracer.startSpan('postgresql.connect', { attributes }), run)
}

async function follow<T>(
  span: ReturnType<typeof tracer.startSpan>,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const { code } = error as { code?: unknown }
    span.setAttribute('error.type', typeof code === 'string' ? code : 'unknown')
    span.setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
