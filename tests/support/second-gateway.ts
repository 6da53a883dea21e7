import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { findRunFile, serviceKeyPath } from '@sheaf/cli/run-file'
import { eventually } from '@sheaf/testkit/eventually'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'

/** Allows for a machine that is busy with other tests. */
const START_LIMIT_MS = 60_000

const program = join(__dirname, '../../gateway/dist/main.js')

/** Another gateway of a running Sheaf, in a separate process. */
export interface SecondGateway extends AsyncDisposable {
  readonly url: string
  /** Suspends the process; `resume` continues it. */
  freeze(): void
  resume(): void
  /** Withholds all traffic between the gateway and directory; connections stay open. */
  freezeLink(): void
  resumeLink(): void
}

/** Starts a gateway, on a connection to directory that can be frozen. */
export async function startSecondGateway(sheaf: RunningSheaf): Promise<SecondGateway> {
  const run = await findRunFile(sheaf.dataDir)
  if (!run) throw new Error('no Sheaf runs')
  const link = await openLink(run.addresses.directory)
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      SHEAF_HOST: '127.0.0.1',
      SHEAF_PORT: '0',
      SHEAF_RATE_LIMIT: '0',
      SHEAF_LOOP_DELAY_MS: '60000',
      SHEAF_DIRECTORY_ADDRESS: link.address,
      SHEAF_WEBHOOK_ADDRESS: run.addresses.webhook,
      SHEAF_SERVICE_KEY_FILE: serviceKeyPath(sheaf.dataDir),
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const closed = once(child, 'close')
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const url = await eventually(() => /"url":"([^"]+)"/.exec(printed)?.[1] ?? false, {
    timeoutMs: START_LIMIT_MS,
  })
  return {
    url,
    freeze: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    freezeLink: () => link.freeze(),
    resumeLink: () => link.resume(),
    async [Symbol.asyncDispose]() {
      link.resume()
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await closed
      await link[Symbol.asyncDispose]()
    },
  }
}

/** Forwards bytes to an address, until it is frozen. */
async function openLink(target: string) {
  const [host, port] = target.split(':')
  const sockets = new Set<Socket>()
  let isFrozen = false
  const join = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (bytes) => to.write(bytes))
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isFrozen) from.pause()
  }
  const server = createServer((near) => {
    const far = connect(Number(port), host)
    join(near, far)
    join(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
