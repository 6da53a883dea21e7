import { Sheaf, type SheafError } from '@sheaf/client'
import { CliError } from './cli-error'
import type { CliSettings } from './settings'
import { readRestTarget } from './target'

/** Few: somebody waits for the command, and an address without a server should be reported within a second. */
const ATTEMPTS = 3

/**
 * Creates the client of the REST API for a command, with the options of the command and its settings. Throws CliError for a
 * missing key, and for a URL or a key that cannot be one.
 */
export async function createSheaf(
  settings: CliSettings,
  given: { url?: string; key?: string },
): Promise<Sheaf> {
  return sheafOf(await readRestTarget(settings, given))
}

/** Creates the client of a target. Throws CliError for a URL or a key that cannot be one. */
export function sheafOf(target: { url: string; key: string }): Sheaf {
  try {
    return new Sheaf({ ...target, retry: { attempts: ATTEMPTS } })
  } catch (error) {
    throw new CliError((error as TypeError).message, 2)
  }
}

/** Describes a failed call in one sentence. */
export function describeFailure({ status, reason, message }: SheafError): string {
  // There was no response of Sheaf: the message tells what there was instead.
  if (status === 0 || reason === 'UNEXPECTED_RESPONSE') return message
  const refusal = `the server returned ${status}: ${message}`
  return status === 401 ? `${refusal} (check the API key)` : refusal
}
