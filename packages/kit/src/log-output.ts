import pino, { type DestinationStream } from 'pino'

/** Longest that a line waits to be written together with others, in milliseconds. */
const COLLECT_MS = 20
/** Characters that are written without waiting. */
const COLLECT_LENGTH = 8 * 1024

/** A file for log lines, written asynchronously. */
export class LogOutput {
  private readonly file: ReturnType<typeof pino.destination>
  /** Lines that wait to be written. */
  private waiting = ''
  private timer?: NodeJS.Timeout

  constructor(private readonly descriptor: number) {
    this.file = pino.destination({ dest: descriptor, sync: false })
  }

  /** Writes each line at once, after those that wait. */
  readonly lines: DestinationStream & { flushSync(): void } = {
    write: (line) => {
      this.waiting += line
      this.flush()
    },
    flushSync: () => {
      this.file.flushSync()
      // A write that is only begun here would not be over when the process ends.
      const writeSync = (lines: string) =>
        pino.destination({ dest: this.descriptor, sync: true }).write(lines)
      this.flush(writeSync)
    },
  }

  /**
   * Writes lines in groups, within 20 ms: a write takes a turn of a thread and one of the event loop, which is as much as
   * a tenth of a small request.
   */
  readonly groups: DestinationStream = {
    write: (line) => {
      this.waiting += line
      if (this.waiting.length >= COLLECT_LENGTH) this.flush()
      else this.timer ??= setTimeout(() => this.flush(), COLLECT_MS)
    },
  }

  private flush(write = (lines: string): unknown => this.file.write(lines)): void {
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.waiting !== '') write(this.waiting)
    this.waiting = ''
  }
}

let output: LogOutput | undefined

/**
 * Standard output; all loggers of a process share it, so that lines keep their order. Waiting lines are written when the
 * process ends.
 */
export function standardOutput(): LogOutput {
  if (output) return output
  const created = new LogOutput(1)
  process.once('exit', () => created.lines.flushSync())
  return (output = created)
}
