import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, messageOf } from './engine-error'
import { lastLines, logEnd, rotateLog } from './engine-log'
import type { EngineLog, EngineName } from './engine-log'
import { identifyProcess, terminate } from './process-table'
import type { ProcessIdentity } from './process-table'

/** Everything needed to start, and restart, one engine on the same port. */
export interface EngineProgram {
  name: EngineName
  command: string
  args: string[]
  /** Working folder; the engine's account must be able to enter it. */
  cwd: string
  /** Account to run as; unset for the current user. */
  account?: { uid: number; gid: number }
  logFile: string
  /** Signal for a fast clean shutdown, and the time that it may take. */
  stop: { signal: NodeJS.Signals; graceMs: number }
  /** Resolves when a client can connect; throws `EngineError` when further waiting is pointless. */
  probe(): Promise<void>
  /** Called periodically; returns a reason when the engine must be restarted because it cannot recover. */
  findReasonToRestart?(): Promise<string | undefined>
}

/** Crash recovery after a hard stop can take long on a slow disk. */
const readyTimeoutMs = 60_000
const firstDelayMs = 100
const longestDelayMs = 10_000
/** An engine that ran this long was healthy: its next failure restarts the backoff. */
const healthyAfterMs = 60_000
const lookEveryMs = 2_000

/** A supervised engine process, from `start` until `stop`. */
export class EngineProcess {
  private current?: { identity: ProcessIdentity; exited: Promise<string> }
  private readonly stopping = new AbortController()
  private supervision: Promise<void> = Promise.resolve()
  private looking?: NodeJS.Timeout

  private constructor(
    private readonly program: EngineProgram,
    private readonly log: EngineLog,
  ) {}

  /** Resolves when the engine serves clients; on failure nothing is left running. */
  static async start(program: EngineProgram, log: EngineLog): Promise<EngineProcess> {
    const engine = new EngineProcess(program, log)
    await engine.launch()
    engine.supervision = engine.supervise()
    engine.looking = setInterval(() => void engine.restartIfNeeded(), lookEveryMs).unref()
    return engine
  }

  /** Pid of the running engine; undefined between a crash and the restart. */
  get pid(): number | undefined {
    return this.current?.identity.pid
  }

  /** Stops the engine, by force if it takes too long, and ends its supervision. */
  async stop(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.looking)
    await this.end()
    await this.supervision
  }

  private async restartIfNeeded(): Promise<void> {
    const reason = await this.program.findReasonToRestart?.().catch(() => undefined)
    if (reason === undefined || this.stopping.signal.aborted) return
    this.report(`is stopped, to be started again: ${reason}`)
    await this.end()
  }

  private async supervise(): Promise<void> {
    let delayMs = firstDelayMs
    while (this.current) {
      const startedAt = Date.now()
      const reason = await this.current.exited
      this.current = undefined
      if (this.stopping.signal.aborted) return
      if (Date.now() - startedAt > healthyAfterMs) delayMs = firstDelayMs
      this.report(`stopped unexpectedly (${reason}) and is being started again`)
      delayMs = await this.relaunch(delayMs)
    }
  }

  /** Retries until the engine runs or is no longer wanted; returns the last delay. */
  private async relaunch(firstDelay: number): Promise<number> {
    for (let delayMs = firstDelay; ; delayMs = Math.min(delayMs * 2, longestDelayMs)) {
      await sleep(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      if (this.stopping.signal.aborted) return delayMs
      try {
        await this.launch()
        this.report('runs again')
        return Math.min(delayMs * 2, longestDelayMs)
      } catch (error) {
        if (this.stopping.signal.aborted) return delayMs
        this.report(messageOf(error))
      }
    }
  }

  private async launch(): Promise<void> {
    const { name, logFile } = this.program
    rotateLog(logFile)
    const logStart = logEnd(logFile)
    const child = spawnEngine(this.program)
    const exited = exitOf(child)
    const identity = child.pid === undefined ? undefined : identifyProcess(child.pid)
    if (identity) this.current = { identity, exited }
    const waiting = new AbortController()
    try {
      await Promise.race([this.untilReady(waiting.signal), exited.then(failWith)])
    } catch (error) {
      waiting.abort()
      await this.end()
      this.current = undefined
      if (error instanceof EngineError) throw error
      const logged = lastLines(logFile, logStart)
      throw new EngineError(
        `${name} did not start: ${messageOf(error)}${logged && `; its log ends with: ${logged}`}`,
      )
    }
  }

  private async untilReady(given: AbortSignal): Promise<void> {
    const deadline = Date.now() + readyTimeoutMs
    while (!given.aborted) {
      try {
        return await this.program.probe()
      } catch (error) {
        if (error instanceof EngineError) throw error
        if (Date.now() > deadline) {
          throw new Error(`not ready within ${readyTimeoutMs / 1000} s (${messageOf(error)})`, {
            cause: error,
          })
        }
      }
      await sleep(20)
    }
  }

  private async end(): Promise<void> {
    if (!this.current) return
    const { signal, graceMs } = this.program.stop
    await terminate(this.current.identity, signal, graceMs)
  }

  private report(message: string): void {
    this.log({ engine: this.program.name, message })
  }
}

/** In a session of its own, so that ^C in the terminal reaches only the supervisor. */
function spawnEngine(program: EngineProgram): ChildProcess {
  const output = openSync(program.logFile, 'a', 0o600)
  try {
    // The shell sets the umask and then replaces itself with the engine: Node can set a umask only for the
    // whole process.
    const script = 'umask 077 && exec "$0" "$@"'
    return spawn('/bin/sh', ['-c', script, program.command, ...program.args], {
      cwd: program.cwd,
      detached: true,
      stdio: ['ignore', output, output],
      uid: program.account?.uid,
      gid: program.account?.gid,
    })
  } finally {
    closeSync(output)
  }
}

/** Resolves, and never rejects, with the reason why the process ended or failed to start. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

function failWith(reason: string): never {
  throw new Error(reason)
}
