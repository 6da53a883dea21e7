import { SingleBar } from 'cli-progress'
import type { Terminal } from '../terminal'
import type { ImportWatcher } from './import-upload'

/** Displays the progress of an import until it is stopped. */
export interface ImportProgress extends ImportWatcher {
  stop(): void
}

/** Minimum interval between lines, for output that is read as a log. */
const LINE_MS = 5_000
const MIB = 1024 * 1024

/**
 * Shows a bar for the bytes sent, then one for the rows; prints lines periodically if the output is not a
 * terminal.
 * @param size bytes of the file
 */
export function startImportProgress(terminal: Terminal, size: number): ImportProgress {
  return terminal.progress ? new Bars(terminal.progress, size) : new Lines(terminal, size)
}

const count = (value: number) => value.toLocaleString('en-US')
const megabytes = (bytes: number) => (bytes / MIB).toFixed(1)

/** Describes the row progress: rows are read twice, and only the first pass determines how many there are. */
function describeRows(read: number, stored: number): string {
  return stored === 0
    ? `${count(read)} rows read`
    : `${count(stored)} of about ${count(read)} rows stored`
}

class Bars implements ImportProgress {
  private readonly bar: SingleBar
  private isStoring = false

  constructor(stream: NodeJS.WriteStream, size: number) {
    this.bar = new SingleBar({
      stream,
      format: '{bar} {percentage}% | {text}',
      barCompleteChar: '█',
      barIncompleteChar: '░',
      barsize: 30,
      fps: 10,
      hideCursor: true,
      gracefulExit: false,
    })
    this.bar.start(Math.max(size, 1), 0, { text: 'sending' })
  }

  sent(bytes: number): void {
    this.bar.update(bytes, { text: `${megabytes(bytes)} MiB sent` })
  }

  rows(read: number, stored: number): void {
    if (stored > 0 && !this.isStoring) {
      this.isStoring = true
      this.bar.setTotal(read)
    }
    this.bar.update(stored > 0 ? stored : this.bar.getTotal(), {
      text: describeRows(read, stored),
    })
  }

  stop(): void {
    this.bar.stop()
  }
}

class Lines implements ImportProgress {
  private saidAt = performance.now()

  constructor(
    private readonly terminal: Terminal,
    private readonly size: number,
  ) {}

  sent(bytes: number): void {
    this.say(`${megabytes(bytes)} of ${megabytes(this.size)} MiB sent`)
  }

  rows(read: number, stored: number): void {
    this.say(describeRows(read, stored))
  }

  stop(): void {
    // Each line is complete.
  }

  private say(text: string): void {
    const now = performance.now()
    if (now - this.saidAt < LINE_MS) return
    this.saidAt = now
    this.terminal.err(text)
  }
}
