import { join } from 'node:path'
import { MAX_MESSAGE_BYTES } from '../processes/frames'
import { HostedProcess, type ExitCause } from '../processes/hosted-process'
import { residentBytes } from '../processes/process-control'

/** Below the service and the requests that wait for it. */
const NICENESS = 5
/** Memory grows by gigabytes a second when a formula wants it to. */
const MEMORY_CHECK_MS = 20
/** Deno itself writes a file of its own at its start; formulas cannot write any. */
export const FILE_BYTES = 1024 * 1024

/** Deno keeps caches in the home folder of the user unless it is told another place: here one that cannot exist. */
export const DENO_ENVIRONMENT = { DENO_DIR: '/proc/none' }

/** How to start an evaluator. */
export interface EvaluatorOptions {
  /** Path of the Deno executable. */
  readonly deno: string
  /** Runtime folder, the only files that the process can read. */
  readonly folder: string
  /** Resident memory above which the process is killed. */
  readonly memoryBytes: number
}

/** Receives what an evaluator sends. */
export interface ProcessEvents {
  onMessage(message: Buffer): void | Promise<void>
  /** Called exactly once, after the last message. */
  onExit(cause: ExitCause): void
}

/** Arguments of Deno that deny everything but reading the runtime folder. */
export function denoArguments(folder: string): string[] {
  return [
    'run',
    '--quiet',
    '--no-prompt',
    '--no-remote',
    '--no-npm',
    '--no-config',
    '--no-lock',
    '--no-code-cache',
    `--allow-read=${folder}`,
    join(folder, 'main.js'),
    folder,
  ]
}

/**
 * A process in which Python computes formulas: Deno without permissions and without environment. It is killed when it
 * exceeds its memory, and when this process ends.
 */
export class EvaluatorProcess {
  private readonly process: HostedProcess

  /** Starts the process. Failing to start is reported by `onExit`. */
  constructor({ deno, folder, memoryBytes }: EvaluatorOptions, events: ProcessEvents) {
    this.process = new HostedProcess(
      {
        program: deno,
        args: denoArguments(folder),
        env: DENO_ENVIRONMENT,
        niceness: NICENESS,
        limits: { residentBytes: memoryBytes, fileBytes: FILE_BYTES },
        memoryCheckMs: MEMORY_CHECK_MS,
        maxFrameBytes: MAX_MESSAGE_BYTES,
      },
      {
        onFrame: (frame) => events.onMessage(frame),
        onExit: ({ cause }) => events.onExit(cause),
      },
    )
  }

  /** Process id; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.process.pid
  }

  /** Resident memory; 0 when it is not known. */
  get residentBytes(): number {
    return this.pid === undefined || this.process.hasExited ? 0 : residentBytes(this.pid)
  }

  /** Sends a message. A process that cannot receive it is killed. */
  send(message: Buffer): void {
    this.process.send(message).catch(() => this.kill())
  }

  /** See HostedProcess. */
  setWorking(works: boolean): void {
    this.process.setWorking(works)
  }

  /** Kills the process at once. Does nothing after its end. */
  kill(): void {
    this.process.kill()
  }
}
