import type { ListenAddress } from '@sheaf/kit/config'
import type { StandaloneConfig } from './config'
import { pickPort, requireListenable } from './ports'
import { ensureServiceKey } from './service-key'

const LOOPBACK = '127.0.0.1'

/** What the processes of one Sheaf are told. */
export interface Wiring {
  readonly host: string
  readonly port: number
  readonly directoryAddress: string
  readonly documentDataAddress: string
  readonly webhookAddress: string
  readonly dataDir: string
  readonly serviceKeyFile: string
  readonly databaseUrl: string
  readonly natsUrl: string
  /** Where the gateway serves metrics. */
  readonly metricsListen?: ListenAddress
}

/** Decides where each process listens, and makes the service key if need be. Throws StartError when the port is taken. */
export async function wire(
  { host, port, metricsListen }: StandaloneConfig,
  dataDir: string,
): Promise<Wiring> {
  const taken = new Set([port])
  if (port !== 0) await requireListenable(host, port)
  const address = async () => `${LOOPBACK}:${await pickPort(LOOPBACK, taken)}`
  return {
    host,
    port: port === 0 ? await pickPort(host, taken) : port,
    directoryAddress: await address(),
    documentDataAddress: await address(),
    webhookAddress: await address(),
    dataDir,
    serviceKeyFile: await ensureServiceKey(dataDir),
    // Known only when the engines run; any text will do for the check of the settings.
    databaseUrl: 'postgres://127.0.0.1/sheaf',
    natsUrl: 'nats://127.0.0.1',
    metricsListen,
  }
}

/** Base address of the REST API, as this machine reaches it. */
export function urlOf({ host, port }: Wiring): string {
  const anywhere = host === '0.0.0.0' || host === '::'
  const shown = anywhere ? LOOPBACK : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}
