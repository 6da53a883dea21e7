import type { CallSignal } from '@sheaf/protos/call'

/** Events after which a stream accepts no data: `close` of Node streams, `status` of grpc-js calls. */
type EndEvent = 'close' | 'status'

/** A writable stream of Node, of grpc-js, or of a library that follows their events. */
interface Sink {
  readonly destroyed?: boolean
  on(event: 'drain' | EndEvent, listener: () => void): unknown
  off(event: 'drain' | EndEvent, listener: () => void): unknown
}

/** What ends the wait besides `drain`. */
export interface DrainOptions {
  /** The event by which the stream reports its end; `close` by default. */
  readonly endEvent?: EndEvent
  /** Rejects with the signal's reason when it is aborted, also before the call. */
  readonly signal?: CallSignal
  /** Rejects when the stream has not drained after this many milliseconds; no limit when absent. */
  readonly timeoutMs?: number
}

/**
 * Waits, after `write` has returned false, until a stream accepts more data or has ended. Leaves no listener behind, so
 * that a stream that drains often collects none.
 */
export function waitForDrain(
  sink: Sink,
  { endEvent = 'close', signal, timeoutMs }: DrainOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (sink.destroyed) return resolve()
    if (signal?.aborted) return reject(signal.reason)
    const stalled = () => settle(() => reject(new Error('the reader has stalled')))
    const timer = timeoutMs === undefined ? undefined : setTimeout(stalled, timeoutMs)
    const onReady = () => settle(resolve)
    const onAbort = () => settle(() => reject(signal?.reason ?? new Error('aborted')))
    function settle(finish: () => void) {
      clearTimeout(timer)
      sink.off('drain', onReady)
      sink.off(endEvent, onReady)
      signal?.removeEventListener('abort', onAbort)
      finish()
    }
    sink.on('drain', onReady)
    sink.on(endEvent, onReady)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
