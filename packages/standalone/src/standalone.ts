import { readFile } from 'node:fs/promises'
import { removeRunFile, writeRunFile, type RunFile } from '@sheaf/cli/run-file'
import { startEngines } from '@sheaf/engines/engines'
import { openWith, type Closer } from '@sheaf/kit/lifecycle'
import { announce } from './banner'
import type { StandaloneConfig } from './config'
import { openDataFolder, type DataLock } from './data-folder'
import { endOrphanProcesses } from './orphan-processes'
import { ensureOwner } from './owner'
import { withFreshPorts } from './ports'
import type { Printer } from './printer'
import { planServices } from './service-plan'
import { startFleet, type ServiceFleet } from './service-fleet'
import { urlOf, wire, type Wiring } from './wiring'

/** Dependencies of the start. */
export interface StandaloneContext {
  readonly printer: Printer
  /** Aborted when the start is cancelled. */
  readonly signal: AbortSignal
}

/**
 * A running Sheaf; disposing of it stops gateway, webhook, document-data, directory and engines, in this
 * order.
 */
export interface RunningStandalone extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts the engines and the services and resolves when everything is ready. On failure it stops them
 * all and throws ConfigError, StartError or EngineError.
 */
export function startStandalone(
  config: StandaloneConfig,
  context: StandaloneContext,
): Promise<RunningStandalone> {
  const { printer, signal } = context
  return openWith(async (closer) => {
    const lock = closer.use(await openDataFolder(config.dataDir))
    const { dataDir } = lock
    planServices(config.env, await wire(config, dataDir)) // validates the settings before anything starts
    const marker = `--sheaf=${dataDir}`
    await endOrphanProcesses(marker)
    const engines = await openEngines({ config, lock, closer, printer })
    signal.throwIfAborted()

    printer.say('sheaf', 'starting directory, document-data, webhook and gateway …')
    const { wiring, fleet } = await withFreshPorts(async () => {
      const wiring = { ...(await wire(config, dataDir)), ...engines }
      const plans = planServices(config.env, wiring)
      const fleet = await startFleet(plans, { marker, printer, url: urlOf(wiring), signal })
      return { wiring, fleet: closer.use(fleet) }
    })
    const url = urlOf(wiring)
    const { directoryAddress } = wiring
    const serviceKey = (await readFile(wiring.serviceKeyFile, 'utf8')).trim()
    const operator = { directoryAddress, serviceKey }
    const { ownerEmail, command, publicUrl } = config
    const base = publicUrl ?? url
    const { key: ownerKey, signInLink } = await ensureOwner(operator, ownerEmail, base)

    closer.defer(() => removeRunFile(dataDir))
    const startedAt = new Date().toISOString()
    const publish = () => writeRunFile(dataDir, describe({ url, wiring, fleet, startedAt }))
    await publish()
    closer.use(fleet.onChange(publish))
    const consoleUrl = `${base}/console/`
    printer.show(announce({ url, dataDir, ownerEmail, ownerKey, consoleUrl, signInLink, command }))
    return { url, [Symbol.asyncDispose]: () => closer.close() }
  })
}

async function openEngines(options: {
  config: StandaloneConfig
  lock: DataLock
  closer: Closer
  printer: Printer
}): Promise<Pick<Wiring, 'databaseUrl' | 'natsUrl'>> {
  const { config, lock, closer, printer } = options
  const { databaseUrl, natsUrl } = config
  if (!databaseUrl) printer.say('sheaf', 'starting PostgreSQL …')
  if (!natsUrl) printer.say('sheaf', 'starting NATS …')
  return closer.use(
    await startEngines({
      dataDir: lock.dataDir,
      databaseUrl,
      natsUrl,
      path: config.env.PATH,
      lock,
      log: ({ engine, message }) => printer.say(engine, message),
    }),
  )
}

function describe(options: {
  url: string
  wiring: Wiring
  fleet: ServiceFleet
  startedAt: string
}): RunFile {
  const { url, wiring, fleet, startedAt } = options
  const [documentData = ''] = wiring.documentDataAddresses
  return {
    url,
    addresses: {
      directory: wiring.directoryAddress,
      documentData,
      webhook: wiring.webhookAddress,
    },
    pids: { standalone: process.pid, ...fleet.pids },
    startedAt,
  }
}
