import type { status as Status } from '@grpc/grpc-js'
import { countCall, noteBegin } from './call-metrics'
import { CallSpan, isTracing } from './call-span'

/** Span and metrics of one incoming call by plain gRPC. */
export class CallTelemetry {
  private readonly begun = noteBegin()
  private readonly span: CallSpan | undefined

  /** @param traceparent the caller's; empty when there is none */
  constructor(
    private readonly path: string,
    traceparent: string,
  ) {
    this.span = isTracing() ? CallSpan.ofServer(path, traceparent) : undefined
  }

  /** Runs the handler within the span, so that its own calls become children. */
  run<T>(work: () => T): T {
    return this.span ? this.span.run(work) : work()
  }

  /** Records the outcome of the call. */
  end(status: Status): void {
    this.span?.end(status)
    countCall(this.path, status, this.begun)
  }
}
