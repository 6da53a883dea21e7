import { Format, SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal'

/** Displays the progress of a load. */
export interface Progress {
  update(rows: number): void
  /** Leaves the bar on screen and releases the terminal. */
  stop(): void
}

/**
 * The rate is that of the last few seconds, so that the remaining time adapts to a server that slows down.
 */
const RATE_WINDOW_MS = 5_000

/** Shows a progress bar with rate and remaining time; silent without a terminal. */
export function startProgress(terminal: Terminal, total: number, done: number): Progress {
  if (!terminal.progress) return { update: () => {}, stop: () => {} }
  const bar = new SingleBar({
    stream: terminal.progress,
    format: '{bar} {percentage}% | {value} of {total} rows | {rate} rows/s | {left} left',
    formatValue: (value, options, type) =>
      type === 'value' || type === 'total'
        ? value.toLocaleString('en-US')
        : Format.ValueFormat(value, options, type),
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    fps: 10,
    hideCursor: true,
    gracefulExit: false,
  })
  const meter = new RateMeter(performance.now(), done)
  bar.start(total, done, { rate: '–', left: '–' })
  return {
    update(rows) {
      const rate = meter.see(performance.now(), rows)
      bar.update(rows, {
        rate: Math.round(rate).toLocaleString('en-US'),
        left: rate > 0 ? describeSeconds((total - rows) / rate) : '–',
      })
    },
    stop: () => bar.stop(),
  }
}

/** Rows per second over the last few seconds. */
class RateMeter {
  private readonly samples: { at: number; rows: number }[]

  constructor(at: number, rows: number) {
    this.samples = [{ at, rows }]
  }

  see(at: number, rows: number): number {
    this.samples.push({ at, rows })
    while (this.samples.length > 2 && at - (this.samples[0]?.at ?? at) > RATE_WINDOW_MS) {
      this.samples.shift()
    }
    const first = this.samples[0] ?? { at, rows }
    return at > first.at ? ((rows - first.rows) * 1000) / (at - first.at) : 0
  }
}

/** Formats a duration for people. */
function describeSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
