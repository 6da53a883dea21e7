import type { Logger } from '@sheaf/kit/logger'
import { findDeno, NO_DENO } from './deno'
import { EvaluatorProcess, type EvaluatorHandlers } from './evaluator-process'
import { runtimeFiles } from './runtime-files'

/** Settings of Evaluators. */
export interface EvaluatorsOptions {
  /** Folder for the files of the evaluator, which can be made again. */
  readonly cacheFolder: string
  /** Memory of one evaluator. */
  readonly memoryBytes: number
  readonly log: Pick<Logger, 'warn' | 'error'>
}

/** An evaluator that has been started, or waits for its files. */
export type StartedEvaluator = Pick<
  EvaluatorProcess,
  'send' | 'setWorking' | 'kill' | 'residentBytes'
>

/** Starts evaluators. Their files are made and verified before the first one, which waits for them. */
export class Evaluators {
  /** False where there is no Deno, which is logged once: then none can be started. */
  readonly isAvailable = findDeno() !== undefined

  constructor(private readonly options: EvaluatorsOptions) {
    if (!this.isAvailable) options.log.warn(NO_DENO)
  }

  /** Starts an evaluator. Failing to start is reported by `onExit`. */
  start(handlers: EvaluatorHandlers): StartedEvaluator {
    const { cacheFolder, memoryBytes, log } = this.options
    const waiting: (object | Buffer)[] = []
    let process: EvaluatorProcess | undefined
    let isKilled = false
    runtimeFiles({ cacheFolder }).then(
      (runtime) => {
        if (isKilled) return handlers.onExit({ ...notStarted, cause: 'killed' })
        process = EvaluatorProcess.start({ runtime, memoryBytes }, handlers)
        for (const message of waiting) process.send(message)
      },
      (error: unknown) => {
        log.error({ err: error }, 'the files of the evaluator cannot be used')
        handlers.onExit({ ...notStarted, cause: 'start', error })
      },
    )
    return {
      send: (message) => {
        if (process) process.send(message)
        else waiting.push(message)
      },
      setWorking: (works) => process?.setWorking(works),
      kill: () => {
        isKilled = true
        process?.kill()
      },
      residentBytes: () => process?.residentBytes() ?? 0,
    }
  }
}

const notStarted = { code: null, signal: null, stderr: '' } as const
