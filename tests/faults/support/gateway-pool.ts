import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { findRunFile, serviceKeyPath } from '@sheaf/cli/run-file'
import { eventually } from '@sheaf/testkit/eventually'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'

/** Allows for a machine that is busy with other tests. */
const START_LIMIT_MS = 60_000

const program = join(__dirname, '../../../gateway/dist/main.js')

/** A request to a gateway. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** A complete reply. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The connection was closed after the beginning of a reply, so that its reader cannot take the part for the whole. */
export class BrokenOff extends Error {}

/**
 * A gateway of a running Sheaf in a separate process, and the connections that a load balancer keeps to it.
 */
export class PooledGateway implements AsyncDisposable {
  /** Number of replies so far. */
  answered = 0
  private readonly agent = new Agent({ keepAlive: true })

  private constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly process: { terminate(): void; closed: Promise<number | null> },
  ) {}

  /**
   * Starts a gateway; after a request to stop it accepts requests for this many more seconds. `further` is added to its
   * environment.
   */
  static async start(
    sheaf: RunningSheaf,
    leaveSeconds: number,
    further: Readonly<Record<string, string>> = {},
  ): Promise<PooledGateway> {
    const run = await findRunFile(sheaf.dataDir)
    if (!run) throw new Error('no Sheaf runs')
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH,
        SHEAF_HOST: '127.0.0.1',
        SHEAF_PORT: '0',
        SHEAF_RATE_LIMIT: '0',
        SHEAF_LEAVE_SECONDS: String(leaveSeconds),
        SHEAF_DIRECTORY_ADDRESS: run.addresses.directory,
        SHEAF_WEBHOOK_ADDRESS: run.addresses.webhook,
        SHEAF_SERVICE_KEY_FILE: serviceKeyPath(sheaf.dataDir),
        ...further,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const closed = once(child, 'close').then(([code]) => code as number | null)
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const url = await eventually(() => /"url":"([^"]+)"/.exec(printed)?.[1] ?? false, {
      timeoutMs: START_LIMIT_MS,
    })
    const terminate = () => void child.kill('SIGTERM')
    return new PooledGateway(url, sheaf.ownerKey, { terminate, closed })
  }

  /** Requests it to stop, like Kubernetes. */
  terminate(): void {
    this.process.terminate()
  }

  /** Resolves to its exit code. */
  get ended(): Promise<number | null> {
    return this.process.closed
  }

  /** Sends a request; resolves at the head of the reply, throws when the connection breaks before. */
  async open(ask: Ask): Promise<IncomingMessage> {
    const { method, path, body } = ask
    const headers = {
      authorization: `Bearer ${this.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...ask.headers,
    }
    const sent = request(new URL(path, this.url), { method, headers, agent: this.agent })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    // The reader of the body gets an error event separately.
    sent.on('error', () => {})
    return response
  }

  /** Resolves to the complete reply; throws when the connection breaks before, BrokenOff after its beginning. */
  async send(ask: Ask): Promise<Answer> {
    const response = await this.open(ask)
    const text = await readText(response).catch((cause: unknown) => {
      throw new BrokenOff('the reply was broken off', { cause })
    })
    this.answered++
    return { status: response.statusCode ?? 0, headers: response.headers, text }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy()
    this.terminate()
    await this.ended
  }
}

/** The text of a reply; throws when the connection breaks before its end. */
export async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Sends requests to the gateways it considers ready, in turn. */
export class GatewayPool {
  private next = 0

  constructor(private readonly gateways: PooledGateway[]) {}

  /** The next gateway in turn. */
  choose(): PooledGateway {
    const gateway = this.gateways[this.next++ % this.gateways.length]
    if (!gateway) throw new Error('no gateway is ready')
    return gateway
  }

  /** Directs further requests to the new gateway instead of the old one. */
  replace(old: PooledGateway, replacement: PooledGateway): void {
    this.gateways.splice(this.gateways.indexOf(old), 1, replacement)
  }
}
