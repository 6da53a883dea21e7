import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { EnvReader, type Env } from '@sheaf/kit/config'
import { readTlsFiles, type TlsFiles } from '@sheaf/kit/tls'

/** Settings of the command from its environment. */
export interface CliSettings {
  /** Data folder of the Sheaf on this machine; the same setting that starts it. */
  readonly dataDir: string
  /** Base address of the REST API, when it is not the Sheaf on this machine. */
  readonly url?: string
  /** Public address of this Sheaf; the same setting that the gateway reads. */
  readonly publicUrl?: string
  readonly apiKey?: string
  /** `host:port` of directory, when it is not on this machine. */
  readonly directoryAddress?: string
  /** `host:port` of webhook, when it is not on this machine. */
  readonly webhookAddress?: string
  readonly serviceKey?: string
  /** Certificates for directory, when it is not on this machine. */
  readonly tls?: TlsFiles
  /** Folder with the files of the formula evaluator, which are made when they are missing. */
  readonly formulaCache: string
  /** Cache folder, for the state of unfinished loads. */
  readonly cacheDir: string
  /** Folder against which relative file names are resolved. */
  readonly workDir: string
  /** How the command was invoked, for hints that can be copied verbatim. */
  readonly invocation: string
}

/** Reads the settings. Throws ConfigError naming every fault. */
export function readSettings(env: Env, cwd: string): CliSettings {
  const read = new EnvReader(env)
  const { npm_lifecycle_event: script, INIT_CWD: npmCwd, XDG_CACHE_HOME: cacheHome } = env
  // npm runs scripts in the repository folder, wherever it was invoked.
  const byNpm = script === 'sheaf' && npmCwd !== undefined
  return read.done({
    dataDir: resolve(cwd, read.str('SHEAF_DATA', './data')),
    url: read.optional('SHEAF_URL'),
    publicUrl: read.optional('SHEAF_PUBLIC_URL'),
    apiKey: read.optionalSecret('SHEAF_API_KEY'),
    directoryAddress: read.optional('SHEAF_DIRECTORY_ADDRESS'),
    webhookAddress: read.optional('SHEAF_WEBHOOK_ADDRESS'),
    serviceKey: read.optionalSecret('SHEAF_SERVICE_KEY'),
    tls: readTlsFiles(read),
    formulaCache: resolve(cwd, read.str('SHEAF_CACHE', '.cache')),
    cacheDir: join(cacheHome || join(homedir(), '.cache'), 'sheaf'),
    workDir: byNpm ? npmCwd : cwd,
    invocation: byNpm ? 'npm run sheaf --' : 'sheaf',
  })
}
