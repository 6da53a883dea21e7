import { ConfigError } from './config'
import { createLogger } from './logger'
import { describeUnknownSettings } from './setting-names'
import { startTelemetry } from './telemetry/telemetry'
import { getVersion } from './version'

/** How long a process may take to stop before it is terminated. */
const STOP_LIMIT_MS = 30_000

/**
 * Closes resources in reverse order of opening, even when closing one of them fails: later ones may depend on earlier ones.
 * A small substitute for AsyncDisposableStack, which Node 20 lacks.
 */
export class Closer implements AsyncDisposable {
  private steps: (() => void | PromiseLike<void>)[] = []

  /** Registers a resource, and returns it. */
  use<T extends AsyncDisposable>(resource: T): T {
    this.steps.push(() => resource[Symbol.asyncDispose]())
    return resource
  }

  /** Registers a function that `close` calls. */
  defer(step: () => void | PromiseLike<void>): void {
    this.steps.push(step)
  }

  /** Runs all steps once, in reverse order. Throws the errors after all steps have run. */
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
 * Runs `open` with a Closer. When it throws, everything registered so far is closed and the error is rethrown; when it
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

/** Resolves on SIGTERM, on SIGINT, or when the supervisor that started this process has ended. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve('SIGTERM'))
    process.on('SIGINT', () => resolve('SIGINT'))
    // A supervisor that was killed cannot send a signal, but its IPC channel closes.
    if (process.channel) process.on('disconnect', () => resolve('supervisor exited'))
  })
}

/**
 * Runs a service until the process receives a signal to stop, and then disposes of it: the main function of every
 * process. Telemetry starts first, so `start` imports the service's modules itself; `warn` logs settings that an operator
 * should change. Invalid settings are printed one per line, without a stack. Exits by force only when stopping takes
 * longer than its limit.
 */
export function runService(
  name: string,
  start: (warn: (sentence: string) => void) => Promise<AsyncDisposable>,
): void {
  const log = createLogger(name)
  const stop = stopAsked()
  const run = async () => {
    for (const sentence of describeUnknownSettings(process.env)) log.warn(sentence)
    const telemetry = startTelemetry(name, process.env, log)
    await telemetry.serveMetrics()
    const service = await start((sentence) => log.warn(sentence))
    const { version, commit } = getVersion()
    log.info({ version, commit }, 'started')
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
