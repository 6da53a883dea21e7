import { EngineError } from '@sheaf/engines/engine-error'
import { ConfigError } from '@sheaf/kit/config'
import { describeUnknownSettings } from '@sheaf/kit/setting-names'
import { readConfig } from './config'
import { createPrinter } from './printer'
import { watchSlowRequests } from './slow-requests'
import { startStandalone } from './standalone'
import { StartError } from './start-error'

const printer = createPrinter(process.stdout)
// A closed output, such as a log reader that exited, must not stop the process.
process.stdout.on('error', () => {})

/** Returns a signal that aborts when the process is asked to stop, or when its parent process is gone. */
function stopAsked(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) printer.say('sheaf', 'already stopping')
    controller.abort(new StartError('stopped before it was ready'))
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  if (process.channel) process.on('disconnect', stop)
  return controller.signal
}

async function run(): Promise<void> {
  const signal = stopAsked()
  for (const sentence of describeUnknownSettings(process.env)) printer.say('sheaf', sentence)
  const config = readConfig(process.env, process.cwd())
  await using watch = await watchSlowRequests(config, (line) => printer.say('trace', line))
  const env = { ...config.env, ...watch.settings }
  const sheaf = await startStandalone({ ...config, env }, { printer, signal })
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  printer.say('sheaf', 'stopping …')
  await sheaf[Symbol.asyncDispose]()
  printer.say('sheaf', 'stopped; all data is saved')
}

/** One sentence for errors that the operator can act on; a stack trace for unexpected ones. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('\n')
  if (error instanceof StartError || error instanceof EngineError) return error.message
  const { code, message, stack } = error as NodeJS.ErrnoException
  return code === undefined ? (stack ?? String(error)) : message
}

run()
  .catch((error: unknown) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  })
  .finally(() => {
    // An IPC channel to a parent process would keep this process alive; closing it must not count as a stop
    // request.
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  })
