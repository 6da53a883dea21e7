import type { Command } from 'commander'
import { openOperator } from '../operator'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { formatTable, type Terminal } from '../terminal'

/** Adds `users create` and `users list`. */
export function addUsersCommands(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  const users = program.command('users').description('manage users')

  users
    .command('create')
    .description('create a user if needed, and a new API key for them')
    .argument('<email>', 'email address of the user')
    .option('--name <name>', 'display name of a new user; ignored for an existing user')
    .option('--json', 'print only {"id","email","name","key"}')
    .action(async (email: string, options: { name?: string; json?: boolean }) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const { user, created } = await operator.ensureUser(email, options.name)
      const { key } = await operator.createKey(user.id, { mayBeDefault: true })
      const { id, name } = user
      if (options.json) return terminal.out(JSON.stringify({ id, email: user.email, name, key }))
      const made = created ? 'was created' : 'already exists'
      terminal.out(`${user.email} (${name}, id ${id}) ${made}`)
      terminal.out(`API key (not shown again): ${key}`)
    })

  users
    .command('list')
    .description('list all users')
    .option('--json', 'print them as a JSON array')
    .action(async (options: { json?: boolean }) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const all = []
      for await (const { id, email, name, createdAt } of operator.listUsers()) {
        all.push({ id, email, name, createdAt })
      }
      if (options.json) return terminal.out(JSON.stringify(all))
      const rows = all.map(({ id, email, name, createdAt }) => [String(id), email, name, createdAt])
      terminal.out(formatTable(['ID', 'EMAIL', 'NAME', 'CREATED'], rows))
    })
}
