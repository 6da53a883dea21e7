import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { findRunFile, serviceKeyPath } from '@sheaf/cli/run-file'
import { readDatabaseUrl, readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import type { InstanceName, RunningSheaf } from '@sheaf/testkit/sheaf'

/** Allows for a machine that is busy with other tests. */
const START_LIMIT_MS = 60_000

/** An instance of document-data that joins those of a running Sheaf with engines of its own. */
export interface AddedInstance extends AsyncDisposable {
  readonly name: InstanceName
  /** Ends it in order; resolves to its exit code. */
  stop(): Promise<number | null>
}

/** Starts an instance with this program; resolves when it has a lease. */
export async function addInstance(
  sheaf: RunningSheaf,
  name: InstanceName,
  program: readonly string[],
): Promise<AddedInstance> {
  const run = await findRunFile(sheaf.dataDir)
  if (!run) throw new Error('no Sheaf runs')
  const folder = join(sheaf.dataDir, 'instances', name)
  await mkdir(folder, { recursive: true })
  const address = await freeAddress()
  const child = spawn(process.execPath, [...program], {
    env: {
      PATH: process.env.PATH,
      SHEAF_REPLICATED: 'true',
      SHEAF_INSTANCE_NAME: name,
      SHEAF_DATA: folder,
      SHEAF_STORE_FOLDER: join(sheaf.dataDir, 'store'),
      SHEAF_DOCUMENT_DATA_LISTEN: address,
      SHEAF_DOCUMENT_DATA_ADDRESS: address,
      SHEAF_DIRECTORY_ADDRESS: run.addresses.directory,
      SHEAF_WEBHOOK_ADDRESS: run.addresses.webhook,
      SHEAF_SERVICE_KEY_FILE: serviceKeyPath(sheaf.dataDir),
      SHEAF_LOOP_DELAY_MS: '60000',
      SHEAF_BALANCE_SECONDS: '1',
      DATABASE_URL: readDatabaseUrl(sheaf.dataDir),
      NATS_URL: readNatsUrl(sheaf.dataDir),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const stop = () => {
    child.kill('SIGTERM')
    return closed
  }
  const joined = eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
      const listed = await sheaf.operate('instances', 'list', '--json')
      const instances = JSON.parse(listed) as readonly { name: string; live: boolean }[]
      return instances.some((each) => each.name === name && each.live)
    },
    { timeoutMs: START_LIMIT_MS },
  )
  await joined.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    name,
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}

/** A loopback address whose port was free a moment ago. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `127.0.0.1:${port}`
}
