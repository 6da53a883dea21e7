import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { EngineProcess } from './engine-process'
import { loopback } from './free-port'
import { natsConfig } from './nats-config'
import { findNatsServer } from './nats-install'
import type { EngineSetting, PreparedEngine } from './prepared-engine'
import { findProcesses, terminate } from './process-table'
import { serverUrl } from './server-url'

/** Not lame duck mode, which takes minutes to move clients to other servers: there are none. */
const stop = { signal: 'SIGTERM', graceMs: 10_000 } as const

/** Finds or fetches NATS and ends one that a killed Sheaf left behind. */
export async function prepareNats(setting: EngineSetting): Promise<PreparedEngine> {
  const { dataDir, state, log } = setting
  const folder = join(dataDir, 'nats')
  const configFile = join(folder, 'nats.conf')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const running = findProcesses('nats-server', configFile)
  await Promise.all(running.map((leftover) => terminate(leftover, stop.signal, stop.graceMs)))
  const command = await findNatsServer(setting)

  state.nats ??= { user: 'sheaf', password: randomBytes(24).toString('hex') }
  await setting.save()
  const { user, password } = state.nats
  return {
    url: (port) => serverUrl('nats', { user, password }, { port }),
    start: async (port) => {
      const storeDir = join(folder, 'jetstream')
      await writePrivately(configFile, natsConfig({ port, user, password, storeDir }))
      const program = {
        name: 'nats' as const,
        command,
        args: ['--config', configFile],
        cwd: folder,
        logFile: join(dataDir, 'logs', 'nats.log'),
        stop,
        probe: () => probeNats(serverUrl('nats', { user, password }, { port })),
      }
      return EngineProcess.start(program, log)
    },
  }
}

/** Resolves when NATS lets this URL's user in and JetStream is on. */
export async function probeNats(url: string): Promise<void> {
  const { port, username, password } = new URL(url)
  const connection = await connect({
    servers: `${loopback}:${port}`,
    user: decodeURIComponent(username),
    pass: decodeURIComponent(password),
    timeout: 2_000,
    reconnect: false,
  })
  const { info } = connection
  await connection.close()
  if (!info?.jetstream) throw new Error('JetStream is not enabled')
}

async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.draft`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}
