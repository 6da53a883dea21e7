import { parentPort, workerData } from 'node:worker_threads'
import { openChannel } from '@sheaf/kit/grpc/client'
import { instant, LeaseClock } from '@sheaf/kit/lease-clock'
import { HomesServiceClientImpl, ReportHomeRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { LeaseThreadData, SentReport } from './lease-thread'

// The thread of LeaseThread.

/** The event loop reports every 0.5 s; it is blocked when nothing was heard of it for longer than this. */
const QUIET_MS = 750
const EVERY_MS = 250
const ANSWER_MS = 1_000

const { memory, address, tls, maxBlockedMs } = workerData as LeaseThreadData
const lease = new LeaseClock(memory)
const homes = new HomesServiceClientImpl(openChannel({ address, tls }))

let latest: (SentReport & { readonly heardAt: number }) | undefined
let isRunning = false

parentPort?.on('message', (sent: SentReport) => {
  latest = { ...sent, heardAt: performance.now() }
})

setInterval(() => void renew(), EVERY_MS)

async function renew(): Promise<void> {
  if (!latest || isRunning || !lease.isHeld()) return
  const { report, token, heardAt } = latest
  const blockedMs = performance.now() - heardAt
  if (blockedMs < QUIET_MS || blockedMs > maxBlockedMs) return
  isRunning = true
  try {
    const sentAt = instant()
    const request = { ...ReportHomeRequest.decode(report), timeMs: sentAt.wall }
    const deadline = Date.now() + ANSWER_MS
    const { leaseMs } = await homes.reportHome(request, { token, deadline })
    // Directory has granted it without interruption only if it still lasts here.
    if (leaseMs > 0 && lease.isHeld()) lease.extend(sentAt, leaseMs)
  } catch {
    // The event loop reports failures of its own reports.
  } finally {
    isRunning = false
  }
}
