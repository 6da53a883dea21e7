import type { Logger } from '@sheaf/kit/logger'
import type { EvaluatorHandlers, EvaluatorProcess as Evaluator } from '../formulas/evaluator-pool'
import { EvaluatorProcess } from './evaluator-process'
import { makeRuntime } from './make-runtime'
import { findParts, NoRuntime, verify } from './runtime-files'

/** Settings of Evaluators. */
export interface EvaluatorsOptions {
  /** Folder for files that can be made again. */
  readonly cache: string
  /** Memory of one evaluator. */
  readonly memoryBytes: number
  readonly log: Pick<Logger, 'warn' | 'error'>
}

/** Where the runtime is. */
interface Runtime {
  readonly deno: string
  readonly folder: string
}

/** Starts evaluators. Their runtime is made and verified before the first one, which waits for it. */
export class Evaluators {
  private runtime: Promise<Runtime> | undefined

  constructor(private readonly options: EvaluatorsOptions) {}

  /** Starts an evaluator. Failing to start is reported by `onExit`. */
  start(handlers: EvaluatorHandlers): Evaluator {
    const waiting: Buffer[] = []
    let process: EvaluatorProcess | undefined
    let killed = false
    this.runtime ??= this.prepare()
    this.runtime.then(
      (runtime) => {
        if (killed) return handlers.onExit('killed')
        process = new EvaluatorProcess({ ...runtime, ...this.options }, handlers)
        for (const message of waiting) process.send(message)
      },
      (error: unknown) => {
        this.runtime = undefined
        if (error instanceof NoRuntime) this.options.log.warn(error.message)
        else this.options.log.error({ err: error }, 'the runtime of formulas cannot be used')
        handlers.onExit('start')
      },
    )
    return {
      send: (message) => {
        if (process) process.send(message)
        else waiting.push(message)
      },
      setWorking: (works) => process?.setWorking(works),
      kill: () => {
        killed = true
        process?.kill()
      },
    }
  }

  private async prepare(): Promise<Runtime> {
    const parts = findParts()
    const folder = await makeRuntime(this.options.cache, parts)
    await verify(folder)
    return { deno: parts.deno, folder }
  }
}
