import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { openOperator } from '../operator'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { formatTable, type Terminal } from '../terminal'

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function addKeysCommands(program: Command, settings: CliSettings, terminal: Terminal): void {
  const keys = program.command('keys').description('API keys, which programs use to act as a user')
  addCreate(keys, settings, terminal)
  addList(keys, settings, terminal)
  addRevoke(keys, settings, terminal)
}

function addCreate(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('create')
    .description('make another API key for a user')
    .argument('<email>', 'email address of the user')
    .option('--name <name>', 'what the key is for')
    .option('--expires <when>', 'when it ends: a date, a time, or a span such as 12h or 30d')
    .option('--json', 'print {"id","email","name","key","expiresAt"} and nothing else')
    .action(async (email: string, options: { name?: string; expires?: string; json?: boolean }) => {
      const expiresAt = options.expires && readExpiry(options.expires, Date.now())
      await using operator = openOperator(await readOperatorTarget(settings))
      const user = await operator.getUser(email)
      const { key, apiKey } = await operator.createKey(user.id, { name: options.name, expiresAt })
      if (options.json) {
        const { id, name } = apiKey
        const end = apiKey.expiresAt || null
        return terminal.out(JSON.stringify({ id, email: user.email, name, key, expiresAt: end }))
      }
      const end = apiKey.expiresAt ? ` (ends ${apiKey.expiresAt})` : ''
      terminal.out(`API key ${apiKey.id} of ${user.email}, shown only this once: ${key}${end}`)
    })
}

function addList(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('list')
    .description("list a user's API keys, without their secrets")
    .argument('<email>', 'email address of the user')
    .option('--json', 'print them as a JSON array')
    .action(async (email: string, options: { json?: boolean }) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const user = await operator.getUser(email)
      const all = await operator.listKeys(user.id)
      if (options.json) {
        const shown = all.map(({ userId: _, expiresAt, lastUsedAt, ...key }) => ({
          ...key,
          expiresAt: expiresAt || null,
          lastUsedAt: lastUsedAt || null,
        }))
        return terminal.out(JSON.stringify(shown))
      }
      const rows = all.map(({ id, prefix, name, createdAt, expiresAt, lastUsedAt }) => [
        String(id),
        `${prefix}…`,
        name,
        createdAt,
        expiresAt || 'never',
        lastUsedAt || 'never',
      ])
      terminal.out(formatTable(['ID', 'KEY', 'NAME', 'CREATED', 'ENDS', 'LAST USED'], rows))
    })
}

function addRevoke(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('revoke')
    .description('end an API key; no request is served with it from then on')
    .argument('<key>', 'its id, its first characters as listed, or the whole key')
    .action(async (idOrKey: string) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const key = await operator.revokeKey(idOrKey.replace(/…$/, ''))
      terminal.out(`API key ${key?.id} (${key?.prefix}…) is revoked`)
    })
}

const spans = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** ISO 8601 time of an expiry given as date, time or span from `now`. Throws CliError for anything else or the past. */
export function readExpiry(text: string, now: number): string {
  const span = /^(\d{1,6})([mhd])$/.exec(text)
  const at = span ? now + Number(span[1]) * spans[span[2] as keyof typeof spans] : Date.parse(text)
  if (Number.isNaN(at) || (!span && !/^\d{4}-\d\d-\d\d/.test(text))) {
    throw new CliError(
      `--expires takes 2030-01-31, 2030-01-31T12:00:00Z, 12h or 30d, not ${text}`,
      2,
    )
  }
  if (at <= now) throw new CliError(`--expires ${text} is in the past`, 2)
  return new Date(at).toISOString()
}
