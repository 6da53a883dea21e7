import type { Readable } from 'node:stream'

/** A body must arrive at this rate, in bytes per second, … */
const LEAST_RATE = 512
/** … measured over windows of this length, in milliseconds. */
const WINDOW_MS = 20_000

/** Ends the watch over a body. */
export interface SenderWatch {
  stop(): void
}

/**
 * Calls `tooSlow` when a body arrives more slowly than 512 bytes per second: a client that sends a byte now and
 * then would hold its slot for as long as it likes. Windows in which nothing is requested do not count.
 * @param stallMs the length of the window when it is shorter than 20 s
 */
export function watchSender(body: Readable, stallMs: number, tooSlow: () => void): SenderWatch {
  const windowMs = Math.min(stallMs, WINDOW_MS)
  const least = (LEAST_RATE * windowMs) / 1000
  let bytes = 0
  let wasPaused = false
  const timer = setInterval(() => {
    if (body.readableFlowing && !wasPaused && bytes < least) {
      stop()
      tooSlow()
    }
    wasPaused = !body.readableFlowing
    bytes = 0
  }, windowMs)
  const onData = ({ length }: Buffer) => (bytes += length)
  const stop = () => {
    clearInterval(timer)
    body.off('data', onData).off('end', stop)
  }
  body.on('data', onData).once('end', stop)
  return { stop }
}
