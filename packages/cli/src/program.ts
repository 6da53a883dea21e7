import { AppError } from '@sheaf/kit/errors'
import { ConfigError, type Env } from '@sheaf/kit/config'
import { Command, CommanderError } from 'commander'
import { CliError } from './cli-error'
import { addDataCommands } from './commands/data'
import { addDoctorCommand } from './commands/doctor'
import { addKeysCommands } from './commands/keys'
import { addSignInCommand } from './commands/sign-in'
import { addStatusCommand } from './commands/status'
import { addUsersCommands } from './commands/users'
import { addWebhooksCommands } from './commands/webhooks'
import { RestError } from './rest-client'
import { readSettings, type CliSettings } from './settings'
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
    .description(
      "Sheaf's command: for operators of a running Sheaf, and for clients of its REST API",
    )
    .exitOverride()
    .showHelpAfterError('(--help shows how it is used)')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .helpCommand(false)
    .addHelpText('after', () => settingsHelp(settings.invocation))
  addUsersCommands(program, settings, terminal)
  addKeysCommands(program, settings, terminal)
  addSignInCommand(program, settings, terminal)
  addStatusCommand(program, settings, terminal)
  addDoctorCommand(program, settings, terminal)
  addDataCommands(program, settings, terminal)
  addWebhooksCommands(program, terminal)
  return program
}

function settingsHelp(invocation: string): string {
  return `
Settings (environment):
  SHEAF_DATA               data folder of the Sheaf on this machine (./data)
  SHEAF_URL                address of the REST API, if it is elsewhere
  SHEAF_API_KEY            API key for load and import, or a file in SHEAF_API_KEY_FILE
  SHEAF_PUBLIC_URL         address that people know it by, for sign-in links
  SHEAF_DIRECTORY_ADDRESS  host:port of directory, for an operator of a cluster
  SHEAF_WEBHOOK_ADDRESS    host:port of webhook, for backup and restore of a cluster
  SHEAF_SERVICE_KEY        service key for that, or a file in SHEAF_SERVICE_KEY_FILE

Examples:
  ${invocation} status
  ${invocation} users create alice@example.com --name Alice
  ${invocation} keys create alice@example.com --expires 30d
  ${invocation} sign-in alice@example.com
  ${invocation} backup /backups/today
  ${invocation} load cities.csv
  ${invocation} import book.xlsx
  ${invocation} webhooks listen 9000 --secret whsec_…

Exit codes: 0 done, 1 failed, 2 used wrongly.`
}

/** Describes an error in one sentence; with a stack only for unexpected ones. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.join('\n')
  if (error instanceof CliError) return error.message
  if (error instanceof RestError) {
    return error.status === 401 ? `${error.message} (is the API key right?)` : error.message
  }
  if (error instanceof AppError) {
    return error.code === 'unavailable'
      ? `directory cannot be reached: ${error.message}`
      : error.message
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
