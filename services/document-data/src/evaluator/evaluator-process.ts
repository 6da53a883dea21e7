import { MAX_MESSAGE_BYTES } from '../processes/frames'
import { HostedProcess, type ProcessExit } from '../processes/hosted-process'
import { residentBytes } from '../processes/process-control'
import { DENO_ENVIRONMENT, denoArguments } from './deno'
import type { RuntimeFiles } from './runtime-files'

const MIB = 1024 * 1024
/** Size of a page of WebAssembly memory. */
const PAGE_BYTES = 64 * 1024
/** Memory that V8 and its code need beside Python's. */
const HEAP_MB = 128
/** The stack of V8, which deep recursion in C code of Python needs, and that of the thread. */
const V8_STACK_BYTES = 60 * MIB
const STACK_BYTES = 64 * MIB
/** Address space that V8 reserves for writing, of which it uses a small part. */
const RESERVED_BYTES = 2048 * MIB
const NICENESS = 5
const MEMORY_CHECK_MS = 20

/** Describes an evaluator to start. */
export interface EvaluatorOptions {
  readonly runtime: RuntimeFiles
  /** Resident memory above which it is killed. */
  readonly memoryBytes: number
  /** Processor time in all after which it is killed. */
  readonly cpuSeconds?: number
}

/** A message of an evaluator. */
export interface EvaluatorMessage {
  readonly type: string
  readonly [name: string]: unknown
}

/** Receives what an evaluator sends. */
export interface EvaluatorHandlers {
  /** Receives a message, parsed and as it was sent. Nothing is read until a returned promise has settled. */
  onMessage(message: EvaluatorMessage, bytes: Buffer): void | Promise<void>
  /** Called exactly once, after the last message. */
  onExit(exit: ProcessExit): void
}

/**
 * A process that computes formulas in Python. It may read its own files while it starts and nothing afterwards; it serves one
 * document.
 */
export class EvaluatorProcess {
  private readonly process: HostedProcess

  private constructor(options: EvaluatorOptions, handlers: EvaluatorHandlers) {
    const { runtime, memoryBytes, cpuSeconds } = options
    const v8Flags = [
      `--max-old-space-size=${HEAP_MB}`,
      `--stack-size=${V8_STACK_BYTES / 1024}`,
      `--wasm-max-mem-pages=${Math.floor(memoryBytes / PAGE_BYTES)}`,
    ]
    this.process = new HostedProcess(
      {
        program: runtime.deno.program,
        args: denoArguments(runtime.folder, 'main.js', v8Flags),
        env: DENO_ENVIRONMENT,
        niceness: NICENESS,
        memoryCheckMs: MEMORY_CHECK_MS,
        maxFrameBytes: MAX_MESSAGE_BYTES,
        limits: {
          residentBytes: memoryBytes,
          stackBytes: STACK_BYTES,
          dataBytes: memoryBytes + RESERVED_BYTES,
          fileBytes: 0,
          cpuSeconds,
        },
      },
      {
        onFrame: (frame) => handlers.onMessage(parse(frame), frame),
        onExit: (exit) => handlers.onExit(exit),
      },
    )
  }

  /** Starts a process. Failing to start is reported by `onExit`. */
  static start(options: EvaluatorOptions, handlers: EvaluatorHandlers): EvaluatorProcess {
    return new EvaluatorProcess(options, handlers)
  }

  /** True as soon as the system has reported its end, which is before `onExit`. */
  get hasExited(): boolean {
    return this.process.hasExited
  }

  /** Process id; undefined when the process could not be started. */
  get pid(): number | undefined {
    return this.process.pid
  }

  /** Resident memory; 0 when it is not known. */
  residentBytes(): number {
    return this.pid === undefined || this.process.hasExited ? 0 : residentBytes(this.pid)
  }

  /** Sends a message, as an object or as its JSON. A process that cannot receive it is killed. */
  send(message: object | Buffer): void {
    const frame = Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message))
    this.process.send(frame).catch(() => this.kill())
  }

  /** See `HostedProcess.setWorking`. */
  setWorking(works: boolean): void {
    this.process.setWorking(works)
  }

  /** Kills the process at once. Does nothing after its end. */
  kill(): void {
    this.process.kill()
  }
}

/** Throws for anything but an object with a type, which ends the process with the cause `protocol`. */
function parse(frame: Buffer): EvaluatorMessage {
  const message = JSON.parse(frame.toString()) as Partial<EvaluatorMessage> | null
  if (typeof message?.type !== 'string') throw new Error('the message has no type')
  return message as EvaluatorMessage
}
