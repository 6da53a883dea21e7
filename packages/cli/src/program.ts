import { SheafError } from '@sheaf/client'
import { AppError } from '@sheaf/kit/errors'
import { ConfigError, type Env } from '@sheaf/kit/config'
import { formatVersion, getVersion } from '@sheaf/kit/version'
import { Command, CommanderError } from 'commander'
import { CliError } from './cli-error'
import { addDataCommands } from './commands/data'
import { addKeysCommands } from './commands/keys'
import { addSignInCommand } from './commands/sign-in'
import { addSystemCommands } from './commands/system'
import { addUsersCommands } from './commands/users'
import { addWebhooksCommands } from './commands/webhooks'
import { readSettings, type CliSettings } from './settings'
import { describeFailure } from './sheaf'
import type { Terminal } from './terminal'

/** The environment of a command. */
export interface CliEnvironment {
  readonly env: Env
  readonly cwd: string
  readonly terminal: Terminal
}

/** Runs one command. Resolves to its exit code: 0 on success, 1 on failure, 2 for incorrect usage. */
export async function runCli(
  args: readonly string[],
  environment: CliEnvironment,
): Promise<number> {
  const { env, cwd, terminal } = environment
  try {
    const program = createProgram(readSettings(env, cwd), terminal)
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // the reason has been printed
    const message = explain(error)
    if (message !== '') terminal.err(message)
    return error instanceof CliError ? error.exitCode : error instanceof ConfigError ? 2 : 1
  }
}

function createProgram(settings: CliSettings, terminal: Terminal): Command {
  const program = new Command(settings.invocation)
    .description('Operator tools for a running Sheaf, and command-line client of its REST API')
    .version(formatVersion(getVersion()), '--version', 'print the version of this command')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .helpCommand(false)
    .addHelpText('after', () => settingsHelp(settings.invocation))
  addUsersCommands(program, settings, terminal)
  addKeysCommands(program, settings, terminal)
  addSignInCommand(program, settings, terminal)
  addSystemCommands(program, settings, terminal)
  addDataCommands(program, settings, terminal)
  addWebhooksCommands(program, terminal)
  return program
}

function settingsHelp(invocation: string): string {
  return `
Settings (environment):
  SHEAF_DATA               data folder of Sheaf on this machine (default: ./data)
  SHEAF_URL                URL of the REST API (default: Sheaf on this machine)
  SHEAF_API_KEY            API key for load, import, types and mcp; or SHEAF_API_KEY_FILE, a file with the key
  SHEAF_PUBLIC_URL         public URL of Sheaf, for sign-in links
  SHEAF_DIRECTORY_ADDRESS  host:port of the directory service, in a cluster
  SHEAF_WEBHOOK_ADDRESS    host:port of the webhook service, for backup and restore in a cluster
  SHEAF_SERVICE_KEY        service key of the cluster; or SHEAF_SERVICE_KEY_FILE, a file with the key

Examples:
  ${invocation} status
  ${invocation} users create alice@example.com --name Alice
  ${invocation} keys create alice@example.com --expires 30d
  ${invocation} instances list
  ${invocation} sign-in alice@example.com
  ${invocation} backup /backups/today
  ${invocation} load cities.csv
  ${invocation} import book.xlsx
  ${invocation} types DOCUMENT > types.ts
  ${invocation} webhooks listen 9000 --secret whsec_…

Exit codes: 0 success, 1 failure, 2 invalid usage.`
}

/** Describes an error in one sentence; with a stack only for unexpected ones. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('\n')
  if (error instanceof CliError) return error.message
  if (error instanceof SheafError) return describeFailure(error)
  if (error instanceof AppError) {
    return error.code === 'unavailable'
      ? `the directory service is unavailable: ${error.message}`
      : error.message
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
