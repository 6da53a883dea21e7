import type { status as Status } from '@grpc/grpc-js'
import { countCall, noteBegin } from './call-metrics'
import { CallSpan, isTracing } from './call-span'

/** What telemetry tells of one call that came by plain gRPC. */
export class CallTelemetry {
  private readonly begun = noteBegin()
  private readonly span: CallSpan | undefined

  /** @param traceparent of the caller; empty when it has none */
  constructor(
    private readonly path: string,
    traceparent: string,
  ) {
    this.span = isTracing() ? CallSpan.ofServer(path, traceparent) : undefined
  }

  /** Runs the work for the call, so that what it calls is below it. */
  run<T>(work: () => T): T {
    return this.span ? this.span.run(work) : work()
  }

  /** The call has its outcome. */
  end(status: Status): void {
    this.span?.end(status)
    countCall(this.path, status, this.begun)
  }
}
