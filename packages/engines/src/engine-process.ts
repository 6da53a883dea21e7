import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError, messageOf } from './engine-error'
import { lastLines, logEnd, rotateLog } from './engine-log'
import type { EngineLog, EngineName } from './engine-log'
import { identifyProcess, terminate } from './process-table'
import type { ProcessIdentity } from './process-table'

/** Everything needed to start one engine again and again on the same port. */
export interface EngineProgram {
  name: EngineName
  command: string
  args: string[]
  /** A folder that the engine's user may enter. */
  cwd: string
  /** Whom to run as; unset when that is the user who started us. */
  account?: { uid: number; gid: number }
  logFile: string
  /** The signal that ends it quickly and cleanly, and how long that may take. */
  stop: { signal: NodeJS.Signals; graceMs: number }
  /** Resolves when a real client is served; an `EngineError` says that waiting is useless. */
  probe(): Promise<void>
  /** Asked now and then while it runs: why it has to be started again, if it cannot help itself. */
  findReasonToRestart?(): Promise<string | undefined>
}

/** Crash recovery after a hard stop can take a while on a slow disk. */
const readyTimeoutMs = 60_000
const firstDelayMs = 100
const longestDelayMs = 10_000
/** An engine that ran this long was well: its next failure starts the back-off anew. */
const healthyAfterMs = 60_000
const lookEveryMs = 2_000

/** One engine, kept running from `start` until `stop`. */
export class EngineProcess {
  private current?: { identity: ProcessIdentity; exited: Promise<string> }
  private readonly stopping = new AbortController()
  private supervision: Promise<void> = Promise.resolve()
  private looking?: NodeJS.Timeout

  private constructor(
    private readonly program: EngineProgram,
    private readonly log: EngineLog,
  ) {}

  /** Resolves when the engine serves clients; if it does not get there, nothing is left running. */
  static async start(program: EngineProgram, log: EngineLog): Promise<EngineProcess> {
    const engine = new EngineProcess(program, log)
    await engine.launch()
    engine.supervision = engine.supervise()
    engine.looking = setInterval(() => void engine.restartIfNeeded(), lookEveryMs).unref()
    return engine
  }

  /** The pid of the running engine; undefined between a crash and the restart. */
  get pid(): number | undefined {
    return this.current?.identity.pid
  }

  /** Ends the engine, cleanly if it manages in time, and its supervision. */
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

  /** Tries until the engine runs or is no longer wanted; returns the delay that came last. */
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
      const told = lastLines(logFile, logStart)
      throw new EngineError(
        `${name} did not start: ${messageOf(error)}${told && `; its log ends with: ${told}`}`,
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

/** Started as the leader of its own session, so that a ^C at the terminal reaches only us. */
function spawnEngine(program: EngineProgram): ChildProcess {
  const output = openSync(program.logFile, 'a', 0o600)
  try {
    // The shell sets the umask and then becomes the engine: Node can set its own umask only for
    // all of its threads at once.
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

/** Resolves, never rejects, with a few words on why the process ended or never began. */
function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

function failWith(reason: string): never {
  throw new Error(reason)
}
