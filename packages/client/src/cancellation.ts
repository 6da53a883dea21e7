/** Ends when the caller's signal is aborted or a time has passed, whichever comes first. */
export interface Cancellation {
  readonly signal: AbortSignal
  /** True once the time has passed. */
  readonly isLate: () => boolean
  /** Starts the time again. */
  readonly restart: () => void
  /** Removes the limit of time. */
  readonly stopTimer: () => void
  /** Ends the work that the signal belongs to, whatever the reason. */
  readonly abort: () => void
  /** Releases the timer and the caller's signal. */
  readonly dispose: () => void
}

/** Creates a cancellation. `AbortSignal.any` and `AbortSignal.timeout` are missing in browsers and Nodes in use. */
export function createCancellation(
  caller: AbortSignal | undefined,
  ms: number | undefined,
): Cancellation {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let late = false
  const onAbort = () => controller.abort(caller?.reason)
  const stopTimer = () => clearTimeout(timer)
  const restart = () => {
    stopTimer()
    if (ms === undefined || ms === Infinity) return
    timer = setTimeout(() => {
      late = true
      controller.abort()
    }, ms)
  }
  if (caller?.aborted) onAbort()
  else {
    caller?.addEventListener('abort', onAbort, { once: true })
    restart()
  }
  return {
    signal: controller.signal,
    isLate: () => late,
    restart,
    stopTimer,
    abort: () => controller.abort(),
    dispose: () => {
      stopTimer()
      caller?.removeEventListener('abort', onAbort)
    },
  }
}

/** Resolves after a time. Rejects with the signal's reason once it is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(reasonOf(signal))
    const onAbort = () => {
      clearTimeout(timer)
      reject(reasonOf(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Throws the signal's reason if it is aborted. */
export function requireActive(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw reasonOf(signal)
}

/** Callers may abort with any value as the reason; by default it is a DOMException `AbortError`. */
function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason as Error
}
