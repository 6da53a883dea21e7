import { readFile } from 'node:fs/promises'
import { CliError } from './cli-error'
import type { OperatorTarget } from './operator'
import { findRunFile, serviceKeyPath, type RunFile } from './run-file'
import type { CliSettings } from './settings'

/**
 * Returns the target of operator commands: the configured address and key, else the Sheaf on this machine.
 */
export async function readOperatorTarget(settings: CliSettings): Promise<OperatorTarget> {
  const { directoryAddress, serviceKey, dataDir, tls } = settings
  return {
    directoryAddress: directoryAddress ?? (await getRunFile(settings)).addresses.directory,
    serviceKey: serviceKey ?? (await readServiceKey(dataDir)),
    // Calls on one machine do not leave it, so there are no certificates.
    ...(directoryAddress !== undefined && { tls }),
  }
}

/**
 * Returns address and key for the public REST API: as given, as configured, else those of the Sheaf on this
 * machine.
 */
export async function readRestTarget(
  settings: CliSettings,
  given: { url?: string; key?: string },
): Promise<{ url: string; key: string }> {
  const key = given.key ?? settings.apiKey
  if (key === undefined) {
    throw new CliError(
      'an API key is required: set SHEAF_API_KEY or use --key. The first start of Sheaf prints one for its owner; ' +
        `to create another: ${settings.invocation} keys create EMAIL`,
      2,
    )
  }
  return { url: toBaseUrl(given.url ?? settings.url ?? (await getRunFile(settings)).url), key }
}

/**
 * Returns the public address of the Sheaf: as given, as configured, else that of the Sheaf on this machine.
 */
export async function readPublicUrl(settings: CliSettings, given?: string): Promise<string> {
  const { publicUrl, url, directoryAddress } = settings
  const known = given ?? publicUrl ?? url
  // With a remote directory, the run file belongs to another Sheaf and the gateway's address is unknown.
  if (known === undefined && directoryAddress !== undefined)
    throw new CliError('the public URL of Sheaf is required: set SHEAF_PUBLIC_URL or use --url', 2)
  return toBaseUrl(known ?? (await getRunFile(settings)).url)
}

function toBaseUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CliError(`the URL must begin with http:// or https://: ${url}`, 2)
  return url.replace(/\/+$/, '')
}

/** Returns the run file. Throws CliError when no Sheaf is running with that data folder. */
export async function getRunFile({ dataDir }: CliSettings): Promise<RunFile> {
  try {
    const run = await findRunFile(dataDir)
    if (run) return run
  } catch (error) {
    throw new CliError(`failed to read the data folder ${dataDir}: ${(error as Error).message}`)
  }
  throw new CliError(
    `no Sheaf is running with the data folder ${dataDir}: start it with "make run", or set SHEAF_DATA`,
  )
}

async function readServiceKey(dataDir: string): Promise<string> {
  const file = serviceKeyPath(dataDir)
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new CliError(`failed to read the service key: ${(error as Error).message}`)
  }
}
