import type { ListenAddress } from '@sheaf/kit/config'
import type { StandaloneConfig } from './config'
import { pickPort, requireListenable } from './ports'
import { ensureServiceKey } from './service-key'

const LOOPBACK = '127.0.0.1'

/** Addresses and secrets shared by the processes of one Sheaf. */
export interface Wiring {
  readonly host: string
  readonly port: number
  readonly directoryAddress: string
  /** One address for each document-data instance. */
  readonly documentDataAddresses: readonly string[]
  readonly webhookAddress: string
  readonly dataDir: string
  readonly serviceKeyFile: string
  readonly databaseUrl: string
  readonly natsUrl: string
  /** Address of the gateway's metrics. */
  readonly metricsListen?: ListenAddress
}

/**
 * Chooses the address of each process, and creates the service key if necessary. Throws StartError when the
 * port is taken.
 */
export async function wire(
  { host, port, metricsListen, instances }: StandaloneConfig,
  dataDir: string,
): Promise<Wiring> {
  const taken = new Set([port])
  if (port !== 0) await requireListenable(host, port)
  const address = async () => `${LOOPBACK}:${await pickPort(LOOPBACK, taken)}`
  const documentDataAddresses: string[] = []
  while (documentDataAddresses.length < instances) documentDataAddresses.push(await address())
  return {
    host,
    port: port === 0 ? await pickPort(host, taken) : port,
    directoryAddress: await address(),
    documentDataAddresses,
    webhookAddress: await address(),
    dataDir,
    serviceKeyFile: await ensureServiceKey(dataDir),
    // Placeholder; the URL is known only once the engines run, and the validation accepts any.
    databaseUrl: 'postgres://127.0.0.1/sheaf',
    natsUrl: 'nats://127.0.0.1',
    metricsListen,
  }
}

/** Base URL of the REST API for clients on this machine. */
export function urlOf({ host, port }: Wiring): string {
  const anywhere = host === '0.0.0.0' || host === '::'
  const shown = anywhere ? LOOPBACK : host.includes(':') ? `[${host}]` : host
  return `http://${shown}:${port}`
}
