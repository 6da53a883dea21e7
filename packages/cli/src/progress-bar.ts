import { SingleBar } from 'cli-progress'
import type { Terminal } from './terminal'

interface Bar {
  readonly update: (done: number, total: number) => void
  /** Removes the bar. */
  readonly stop: () => void
}

/** Shows a bar for a number of items, starting with the first update; none without a terminal. */
export function startBar(terminal: Terminal, what: string): Bar {
  if (!terminal.progress) return { update: () => {}, stop: () => {} }
  const bar = new SingleBar({
    stream: terminal.progress,
    format: `{bar} {percentage}% | {value} of {total} ${what} | {eta_formatted} left`,
    barsize: 30,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
  })
  let started = false
  return {
    update: (done: number, total: number) => {
      if (!started) bar.start(total, done)
      started = true
      bar.update(done)
    },
    stop: () => bar.stop(),
  }
}
