/** The events of a stream that `drained` waits for. */
interface Sink {
  readonly destroyed: boolean
  on(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
}

/** Resolves when a stream whose `write` returned false accepts more, or is closed. */
export function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => {
    if (sink.destroyed) return resolve()
    const settle = () => {
      sink.off('drain', settle)
      sink.off('close', settle)
      resolve()
    }
    sink.on('drain', settle)
    sink.on('close', settle)
  })
}
