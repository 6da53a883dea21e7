import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { LeaseClock } from '@sheaf/kit/lease-clock'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'

/** The compiled program of the thread, even when this file runs from sources, which a thread cannot load. */
const PROGRAM = join(__dirname, '../../../dist/replication/homes/lease-thread-program.js')

/**
 * Milliseconds for which the event loop may be blocked, such as by one large write, before the lease ends all the same: its
 * documents are then better off on another instance.
 */
const MAX_BLOCKED_MS = 20_000

/** How the thread reaches directory. */
export interface LeaseThreadOptions {
  readonly directoryAddress: string
  readonly tls?: TlsFiles
  readonly log: Logger
  readonly maxBlockedMs?: number
}

/** What the thread starts with. */
export interface LeaseThreadData {
  readonly memory: SharedArrayBuffer
  readonly address: string
  readonly tls: TlsFiles | undefined
  readonly maxBlockedMs: number
}

/** A report of this instance that directory has answered. */
export interface SentReport {
  /** ReportHomeRequest in protobuf. */
  readonly report: Uint8Array
  readonly token: string
}

/**
 * Renews a lease while the event loop is blocked, by the latest report that the event loop has sent. It never renews one
 * that has ended.
 */
export class LeaseThread implements AsyncDisposable {
  private readonly worker: Worker

  constructor(
    lease: LeaseClock,
    { directoryAddress: address, tls, log, maxBlockedMs = MAX_BLOCKED_MS }: LeaseThreadOptions,
  ) {
    const workerData: LeaseThreadData = { memory: lease.memory, address, tls, maxBlockedMs }
    this.worker = new Worker(PROGRAM, { workerData })
    this.worker.unref()
    this.worker.on('error', (error) =>
      log.error({ err: error }, 'the thread that renews the lease has ended'),
    )
  }

  /** Tells the thread of a report that was answered, which also shows that the event loop runs. */
  reported(sent: SentReport): void {
    this.worker.postMessage(sent)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.worker.terminate()
  }
}
