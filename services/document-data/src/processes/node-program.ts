import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { MAX_MESSAGE_BYTES } from './frames'
import { HostedProcess, type ProcessExit, type ProcessOptions } from './hosted-process'

/** Describes a program of this service to run in a separate process. */
export interface NodeProgramOptions extends Pick<
  ProcessOptions,
  'limits' | 'niceness' | 'memoryCheckMs' | 'cwd'
> {
  /** Path of the compiled module, which opens a parent channel. */
  readonly module: string
  readonly args?: readonly string[]
  /** JavaScript heap in MiB. */
  readonly heapMb: number
}

/** Receives the messages of a program. */
export interface NodeProgramHandlers<Out> {
  onMessage(message: Out): void
  /** Called exactly once, after the last message. */
  onExit(exit: ProcessExit): void
}

/** A hosted process that runs Node and exchanges structured clones. */
export class NodeProgram<In, Out> {
  private readonly process: HostedProcess

  /** Starts a program with an empty environment. Failing to start is reported by `onExit`. */
  constructor(options: NodeProgramOptions, handlers: NodeProgramHandlers<Out>) {
    const { module, args = [], heapMb, ...rest } = options
    this.process = new HostedProcess(
      {
        ...rest,
        program: process.execPath,
        args: [`--max-old-space-size=${heapMb}`, module, ...args],
        maxFrameBytes: MAX_MESSAGE_BYTES,
      },
      {
        onFrame: (frame) => handlers.onMessage(deserialize(frame) as Out),
        onExit: (exit) => handlers.onExit(exit),
      },
    )
  }

  /** True as soon as the system has reported its end, which is before `onExit`. */
  get hasExited(): boolean {
    return this.process.hasExited
  }

  /** Process id; undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.process.pid
  }

  /** Sends a message. A process that cannot receive it is killed. */
  send(message: In): void {
    this.process.send(serialize(message)).catch(() => this.kill())
  }

  /** See `setWorking` of HostedProcess. */
  setWorking(works: boolean): void {
    this.process.setWorking(works)
  }

  /** Kills the process at once. Does nothing after its end. */
  kill(): void {
    this.process.kill()
  }
}

/** Path of a compiled program of this service, also when this file runs from sources, which a process cannot load. */
export function compiledProgram(path: string): string {
  return join(__dirname, '../../dist', path)
}

/** Exit code of an aborted process where there is no signal. */
const ABORTED = 134
/** How V8 ends a process that reaches its heap limit or runs out of memory. */
const V8_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL']

/** True when a Node process ended because it exceeded its memory limits. */
export function exceededMemory({ cause, code, signal }: ProcessExit): boolean {
  return (
    cause === 'memory' || (cause === 'exited' && (V8_SIGNALS.includes(signal) || code === ABORTED))
  )
}
