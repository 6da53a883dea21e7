import { ConfigError } from './config'
import { createLogger } from './logger'
import { startTelemetry } from './telemetry/telemetry'

/** How long a process may take to stop before it is ended the hard way. */
const STOP_LIMIT_MS = 30_000

/**
 * Closes what was opened, in reverse order, whatever fails on the way: what comes last may still need what came first.
 * (A small stand-in for AsyncDisposableStack, which Node 20 lacks.)
 */
export class Closer implements AsyncDisposable {
  private steps: (() => void | PromiseLike<void>)[] = []

  /** Registers something that was opened, and returns it. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.steps.push(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Registers a step of closing. */
  defer(step: () => void | PromiseLike<void>): void {
    this.steps.push(step)
  }

  /** Runs all steps, last first, once. Throws what failed, after all have run. */
  async close(): Promise<void> {
    const steps = this.steps.reverse()
    this.steps = []
    const errors: unknown[] = []
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length === 1) throw errors[0]
    if (errors.length > 1) throw new AggregateError(errors, 'several resources failed to close')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/**
 * Runs `open` with a Closer: when it throws, what it had opened so far is closed and the error goes on; when it
 * returns, the caller owns the Closer.
 */
export async function openWith<T>(open: (closer: Closer) => Promise<T>): Promise<T> {
  const closer = new Closer()
  try {
    return await open(closer)
  } catch (error) {
    await closer.close().catch(() => {})
    throw error
  }
}

/** Resolves when the process is asked to stop: SIGTERM, SIGINT, or the end of a supervisor that started it. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve('SIGTERM'))
    process.on('SIGINT', () => resolve('SIGINT'))
    // A supervisor that dies hard cannot signal; the end of its IPC channel tells.
    if (process.channel) process.on('disconnect', () => resolve('supervisor exited'))
  })
}

/**
 * Runs a service until it is asked to stop, and then disposes of it: the main function of every process. Telemetry
 * starts first, so `start` requires the service's modules itself, by dynamic import. Faults of the settings are
 * printed one a line, without a stack. Never exits by force unless stopping takes longer than its limit.
 */
export function runService(name: string, start: () => Promise<AsyncDisposable>): void {
  const log = createLogger(name)
  const stop = stopAsked()
  const run = async () => {
    const telemetry = startTelemetry(name, process.env, log)
    await telemetry.serveMetrics()
    const service = await start()
    log.info('started')
    const cause = await stop
    log.info({ cause }, 'stopping')
    setTimeout(() => {
      log.fatal('did not stop in time')
      process.exit(1)
    }, STOP_LIMIT_MS).unref()
    await service[Symbol.asyncDispose]()
    await telemetry[Symbol.asyncDispose]()
    log.info('stopped')
  }
  run().then(
    () => {
      // The IPC channel of a supervisor would keep the process alive.
      if (process.connected) process.disconnect()
    },
    (error: unknown) => {
      if (error instanceof ConfigError) for (const fault of error.faults) log.fatal(fault)
      else log.fatal({ err: error }, 'failed')
      process.exitCode = 1
      if (process.connected) process.disconnect()
    },
  )
}
