import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, rename, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { EngineProcess } from './engine-process'
import { logEnd } from './engine-log'
import { loopback } from './free-port'
import { natsConfig } from './nats-config'
import { findNatsServer } from './nats-install'
import type { EngineSetting, PreparedEngine } from './prepared-engine'
import { findProcesses, terminate } from './process-table'
import { serverUrl } from './server-url'

/** Not lame duck mode, which takes minutes to move clients to other servers: there are none. */
const stop = { signal: 'SIGTERM', graceMs: 10_000 } as const

/** Free space from which a restart after a full disk can succeed: about two of NATS's blocks. */
const enoughBytes = 16 * 1024 * 1024

/** Finds or fetches NATS and ends a server left by a killed Sheaf. */
export async function prepareNats(setting: EngineSetting): Promise<PreparedEngine> {
  const { dataDir, state, log } = setting
  const folder = join(dataDir, 'nats')
  const configFile = join(folder, 'nats.conf')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const running = findProcesses('nats-server', configFile)
  await Promise.all(running.map((orphan) => terminate(orphan, stop.signal, stop.graceMs)))
  const command = await findNatsServer(setting)

  state.nats ??= { user: 'sheaf', password: randomBytes(24).toString('hex') }
  await setting.save()
  const { user, password } = state.nats
  return {
    url: (port) => serverUrl('nats', { user, password }, { port }),
    start: async (port) => {
      const storeDir = join(folder, 'jetstream')
      await writePrivately(configFile, natsConfig({ port, user, password, storeDir }))
      const logFile = join(dataDir, 'logs', 'nats.log')
      const program = {
        name: 'nats' as const,
        command,
        args: ['--config', configFile],
        cwd: folder,
        logFile,
        findReasonToRestart: createStuckCheck(logFile, folder),
        stop,
        probe: () => probeNats(serverUrl('nats', { user, password }, { port })),
      }
      return EngineProcess.start(program, log)
    },
  }
}

/** Resolves when NATS accepts the credentials of this URL and JetStream is enabled. */
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

/**
 * A stream whose disk was full rejects messages until NATS restarts, even once there is free space. Only the
 * log shows this, so new log lines are scanned for it.
 */
function createStuckCheck(logFile: string, folder: string): () => Promise<string | undefined> {
  let readTo = logEnd(logFile)
  let stuck = false
  return async () => {
    const end = logEnd(logFile)
    if (end !== readTo) {
      const added = readFileSync(logFile).subarray(end < readTo ? 0 : readTo)
      stuck ||= /critical write error|no space left on device|out of resources/i.test(
        added.toString('latin1'),
      )
      readTo = end
    }
    if (!stuck) return undefined
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < enoughBytes) return undefined
    stuck = false
    return 'its disk was full, and has room again'
  }
}
