import { SingleBar } from 'cli-progress'
import type { Terminal } from './terminal'

interface Bar {
  readonly update: (done: number, total: number) => void
  /** Takes the bar away. */
  readonly stop: () => void
}

/** A bar that shows how many of these are done, from the first that it is told; none where nobody is watching. */
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
