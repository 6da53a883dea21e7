import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  EvaluatorProcess,
  type EvaluatorMessage,
  type EvaluatorOptions,
} from '../../src/evaluator/evaluator-process'
import { runtimeFiles, type RuntimeFiles } from '../../src/evaluator/runtime-files'
import type { ProcessExit } from '../../src/processes/hosted-process'

/** The cache of this working copy, so that tests make a runtime only once. */
const cacheFolder = join(__dirname, '../../../../.cache')
const MEMORY_BYTES = 512 * 1024 * 1024

/** What came of Python that a test ran: its answer, or the end of the process. */
export type Outcome = EvaluatorMessage | { readonly type: 'exit'; readonly exit: ProcessExit }

/** The runtime with a Python package that runs what a test sends, in place of the one that computes formulas. */
export function standInRuntime(): Promise<RuntimeFiles> {
  return runtimeFiles({ cacheFolder, pythonFolder: join(__dirname, 'evaluator') })
}

/** Creates a folder on disk: Deno grants no access to folders below `/dev`, where temporary folders of tests may be. */
export async function diskFolder(): Promise<{ path: string } & AsyncDisposable> {
  await mkdir(cacheFolder, { recursive: true })
  const path = await mkdtemp(join(cacheFolder, 'test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** An evaluator process of a test. */
export class TestEvaluator implements AsyncDisposable {
  /** All messages in order. */
  readonly messages: EvaluatorMessage[] = []
  readonly exited: Promise<ProcessExit>
  private settle: ((message: EvaluatorMessage) => void) | undefined

  private constructor(
    readonly process: EvaluatorProcess,
    exited: (seen: (message: EvaluatorMessage) => void) => Promise<ProcessExit>,
  ) {
    this.exited = exited((message) => {
      this.messages.push(message)
      this.settle?.(message)
    })
  }

  /** Starts a process with the stand-in, or with another runtime. */
  static async start(options: Partial<EvaluatorOptions> = {}): Promise<TestEvaluator> {
    const runtime = options.runtime ?? (await standInRuntime())
    let seen: ((message: EvaluatorMessage) => void) | undefined
    let end: (exit: ProcessExit) => void = () => {}
    const ended = new Promise<ProcessExit>((resolve) => (end = resolve))
    const process = EvaluatorProcess.start(
      { memoryBytes: MEMORY_BYTES, ...options, runtime },
      { onMessage: (message) => seen?.(message), onExit: (exit) => end(exit) },
    )
    return new TestEvaluator(process, (handler) => {
      seen = handler
      return ended
    })
  }

  /** Sends a message; resolves to the next message that arrives, or to the end of the process. */
  ask(message: object): Promise<Outcome> {
    const answered = new Promise<Outcome>((resolve) => (this.settle = resolve))
    this.process.send(message)
    const exited = this.exited.then((exit) => ({ type: 'exit', exit }) as const)
    return Promise.race([answered, exited])
  }

  /** Runs Python, whose variable `result` is the value of the answer, as its `repr`. */
  run(code: string): Promise<Outcome> {
    return this.ask({ type: 'run', code })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill()
    await this.exited
  }
}
