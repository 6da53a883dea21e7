import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import type { Operation } from './store/log/log'
import type { WriteTrace } from './store/documents/shared-resources'

/** Starts the span of a write; undefined if the request is not traced. */
export function traceWrite(traceparent: string): WriteTrace | undefined {
  const span = WorkSpan.start('sheaf.document.transact', { traceparent })
  return span && new TracedWrite(span)
}

/** Records queue time and amount of work of a write, never its contents. */
class TracedWrite implements WriteTrace {
  private since = performance.now()

  constructor(private readonly span: WorkSpan) {}

  begins(): void {
    this.span.set({ 'sheaf.queue_ms': this.takeTime() })
  }

  applied(operations: readonly Operation[]): void {
    let rows = 0
    for (const operation of operations) if ('rowIds' in operation) rows += operation.rowIds.length
    this.span.set({
      'sheaf.apply_ms': this.takeTime(),
      'sheaf.rows': rows,
      'sheaf.tables': new Set(operations.map(({ tableRef }) => tableRef)).size,
    })
  }

  ends(failed: boolean): void {
    // Writes of one group share a commit, so the count includes the others.
    if (!failed) this.span.set({ 'sheaf.commit_ms': this.takeTime() })
    this.span.end(failed)
  }

  private takeTime(): number {
    const now = performance.now()
    const ms = now - this.since
    this.since = now
    return ms
  }
}
