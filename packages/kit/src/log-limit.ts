import type { LogFn } from 'pino'

/** Lines of one kind that are written in one window; the first of them has the stack of its error. */
const MAX_LINES = 5
const WINDOW_MS = 60_000
/** Kinds that are counted apart; beyond it, all others are counted as one kind. */
const MAX_KINDS = 100
const OTHERS = 'other failures'

/** A function of a logger that writes a line. */
type Write = (...args: Parameters<LogFn>) => void

interface Kind {
  readonly message: string
  lines: number
  suppressed: number
  /** Writes with the logger of the last suppressed line. */
  write?: Write
}

/**
 * Limits the lines of repeated failures, so that an outage does not fill the disk. Lines are of the same kind
 * when their message, and the class, code and first two stack frames of their error or their `reason`, are equal.
 * After five lines of a kind within a minute, the others are left out, and one line states their number in
 * `suppressed` when the minute ends.
 */
export class LogLimit implements Disposable {
  private readonly kinds = new Map<string, Kind>()
  private readonly timers = new Set<NodeJS.Timeout>()

  constructor(private readonly windowMs = WINDOW_MS) {}

  /** Writes a line unless there were too many of its kind. */
  write(args: Parameters<LogFn>, write: Write): void {
    const [facts, message] = splitArguments(args)
    const name = `${message}|${describeFacts(facts)}`
    const kind = this.kinds.get(name) ?? this.begin(name, message)
    kind.lines++
    if (kind.lines > MAX_LINES) {
      kind.suppressed++
      kind.write = write
    } else if (kind.lines > 1) write(...withoutStack(args))
    else write(...args)
  }

  /** Writes the numbers of suppressed lines now, and forgets all kinds. */
  [Symbol.dispose](): void {
    for (const timer of this.timers) clearTimeout(timer)
    this.timers.clear()
    for (const name of [...this.kinds.keys()]) this.end(name)
  }

  private begin(name: string, message: string): Kind {
    if (this.kinds.size >= MAX_KINDS && name !== OTHERS)
      return this.kinds.get(OTHERS) ?? this.begin(OTHERS, OTHERS)
    const kind: Kind = { message, lines: 0, suppressed: 0 }
    this.kinds.set(name, kind)
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      this.end(name)
    }, this.windowMs).unref()
    this.timers.add(timer)
    return kind
  }

  private end(name: string): void {
    const { suppressed = 0, message = '', write } = this.kinds.get(name) ?? {}
    this.kinds.delete(name)
    if (suppressed > 0) write?.({ suppressed }, `${message} (repeated)`)
  }
}

type Facts = { readonly err?: unknown; readonly reason?: unknown }

function splitArguments([first, second]: Parameters<LogFn>): [Facts, string] {
  const found: unknown = first
  if (typeof found === 'string') return [{}, found]
  const facts = found instanceof Error ? { err: found } : ((found ?? {}) as Facts)
  return [facts, typeof second === 'string' ? second : '']
}

/** Messages of errors are not compared: they may name ids and times. */
function describeFacts({ err, reason }: Facts): string {
  if (!(err instanceof Error)) return typeof reason === 'string' ? reason.slice(0, 100) : ''
  const { code } = err as { code?: unknown }
  // The first frame may be a function that creates errors.
  const frames = /\n\s+at .*(\n\s+at .*)?/.exec(err.stack ?? '')?.[0] ?? ''
  return `${err.name}|${String(code)}|${frames}`
}

/** The stack of a repeated error has been written with the first line of its kind. */
function withoutStack(args: Parameters<LogFn>): Parameters<LogFn> {
  const [first, ...rest] = args as unknown as [unknown, ...unknown[]]
  const err = first instanceof Error ? first : (first as Facts | undefined)?.err
  if (!(err instanceof Error)) return args
  const { code } = err as { code?: unknown }
  const short = { type: err.name, message: err.message, ...(code !== undefined && { code }) }
  const facts = first instanceof Error ? { err: short } : { ...(first as object), err: short }
  const message = rest.length === 0 && first instanceof Error ? [err.message] : rest
  return [facts, ...message] as unknown as Parameters<LogFn>
}
