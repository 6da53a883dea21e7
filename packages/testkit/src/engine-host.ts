import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngines } from '@sheaf/engines/engines'
import { serveHost } from './host-requests'
import { TestHost } from './test-host'

// A program that starts PostgreSQL and NATS for the tests (or checks those in DATABASE_URL and NATS_URL),
// prints their URLs as one line of JSON, and stops them when its stdin closes, which happens even if jest is
// killed.

function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin
      .once('close', resolve)
      .once('error', () => resolve())
      .resume()
    process.once('SIGTERM', () => resolve())
  })
}

async function hostEngines(dataDir: string): Promise<void> {
  const asked = askedToEnd()
  const complaints: string[] = []
  await using engines = await startEngines({
    dataDir,
    databaseUrl: process.env.DATABASE_URL,
    natsUrl: process.env.NATS_URL,
    path: process.env.PATH,
    log: ({ engine, message }) => complaints.push(`${engine} ${message}`),
  })
  const { databaseUrl, natsUrl } = engines
  // Where a Sheaf finds the engines, here as in the workers of jest.
  process.env.SHEAF_TEST_DATABASE_URL = databaseUrl
  process.env.SHEAF_TEST_NATS_URL = natsUrl
  await using host = new TestHost()
  await using server = await serveHost(join(dataDir, 'host.sock'), host)
  const { socket: hostSocket } = server
  process.stdout.write(`${JSON.stringify({ databaseUrl, natsUrl, hostSocket })}\n`)
  await asked
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sheaf-test-engines-'))
  try {
    await hostEngines(dataDir)
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
    // Made for this run alone, in memory, where leftovers of processes that were killed must not stay.
    const tempDir = process.env.SHEAF_TEST_TEMP_DIR
    if (tempDir) await rm(tempDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

main().then(
  () => process.stdin.destroy(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
    process.stdin.destroy()
  },
)
