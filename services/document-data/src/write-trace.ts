import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import type { Operation } from './store/log/log'
import type { DeriveCounts, DeriveTrace, WriteTrace } from './store/documents/write-trace'

/** Maximum number of writes that the span of their formulas links to. */
const MAX_LINKS = 32

/** Starts the span of a write; undefined if the request is not traced. */
export function traceWrite(traceparent: string): WriteTrace | undefined {
  const span = WorkSpan.start('sheaf.document.transact', { traceparent })
  return span && new TracedWrite(span)
}

/** Records queue time and amount of work of a write, never its contents. */
class TracedWrite implements WriteTrace {
  private since = performance.now()

  constructor(private readonly span: WorkSpan) {}

  get traceparent(): string {
    return this.span.traceparent
  }

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

  derives(others: readonly WriteTrace[]): DeriveTrace | undefined {
    const { traceparent } = this
    const links = others.slice(0, MAX_LINKS).map((other) => other.traceparent)
    const span = WorkSpan.start('sheaf.document.derive', { traceparent, links })
    return span && { ends: (counts, failed) => endDerive(span, counts, failed) }
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

function endDerive(span: WorkSpan, counts: DeriveCounts, failed: boolean): void {
  span.set({
    'sheaf.derive.columns': counts.columns,
    'sheaf.derive.cells': counts.cells,
    'sheaf.derive.rounds': counts.rounds,
    'sheaf.derive.pending': counts.pending,
    'sheaf.derive.stopped': counts.stopped,
  })
  span.end(failed)
}
