import type { KeyCaps, KeyScope } from '@sheaf/protos/sheaf/directory/v1/keys'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import { openOperator } from '../operator'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { formatTable, type Terminal } from '../terminal'

/** Adds `keys create`, `keys list` and `keys revoke`. */
export function addKeysCommands(program: Command, settings: CliSettings, terminal: Terminal): void {
  const keys = program.command('keys').description('manage API keys of users')
  addCreate(keys, settings, terminal)
  addList(keys, settings, terminal)
  addRevoke(keys, settings, terminal)
}

interface CreateOptions {
  readonly name?: string
  readonly expires?: string
  readonly readOnly?: boolean
  readonly org?: readonly string[]
  readonly workspace?: readonly string[]
  readonly doc?: readonly string[]
  readonly rowsPerCall?: string
  readonly rowsPerHour?: string
  readonly table?: readonly string[]
  readonly structure?: boolean
  readonly json?: boolean
}

function addCreate(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('create')
    .description('create an API key for a user')
    .argument('<email>', 'email address of the user')
    .option('--name <name>', 'purpose of the key')
    .option(
      '--expires <when>',
      'expiry: a date, a time, or a duration such as 12h or 30d (default: never)',
    )
    .option('--read-only', 'allow reading only')
    .option('--org <orgs...>', 'limit the key to these sites (ids or domains)')
    .option('--workspace <ids...>', 'limit the key to these workspaces (ids)')
    .option('--doc <ids...>', 'limit the key to these documents (UUIDs, ids or urlIds)')
    .option('--rows-per-call <rows>', 'cap on the rows that one call writes')
    .option(
      '--rows-per-hour <rows>',
      'cap on the rows that are written into a document within an hour',
    )
    .option('--table <ids...>', 'the only tables that may be written (ids)')
    .option('--no-structure', 'refuse changes of tables and columns')
    .option('--json', 'print only {"id","email","name","key","expiresAt","scope"}')
    .action(async (email: string, options: CreateOptions) => {
      const expiresAt = options.expires && readExpiry(options.expires, Date.now())
      const wanted = { name: options.name, expiresAt, scope: readScope(options) }
      await using operator = openOperator(await readOperatorTarget(settings))
      const user = await operator.getUser(email)
      const { key, apiKey } = await operator.createKey(user.id, wanted)
      const { id, name, scope = null } = apiKey
      const end = apiKey.expiresAt || null
      if (options.json) {
        const made = { id, email: user.email, name, key, expiresAt: end, scope }
        return terminal.out(JSON.stringify(made))
      }
      const facts = [...(end ? [`expires ${end}`] : []), ...(scope ? [showScope(scope)] : [])]
      const note = facts.length > 0 ? ` (${facts.join('; ')})` : ''
      terminal.out(`API key ${id} of ${user.email} (not shown again): ${key}${note}`)
    })
}

/** Returns the scope that the options specify. Throws CliError for a malformed workspace id. */
function readScope(options: CreateOptions): KeyScope | undefined {
  const { readOnly = false, org = [], workspace = [], doc = [] } = options
  const bad = workspace.find((id) => !/^\d{1,15}$/.test(id))
  if (bad !== undefined) throw new CliError(`--workspace must be an integer id: ${bad}`, 2)
  const caps = readCaps(options)
  if (!readOnly && !caps && org.length + workspace.length + doc.length === 0) return undefined
  return { readOnly, orgs: [...org], workspaces: workspace.map(Number), documents: [...doc], caps }
}

/** Returns the caps that the options specify. Throws CliError for a number that is none. */
function readCaps(options: CreateOptions): KeyCaps | undefined {
  const { rowsPerCall, rowsPerHour, table = [], structure = true } = options
  if (!rowsPerCall && !rowsPerHour && table.length === 0 && structure) return undefined
  return {
    rowsPerCall: readRows('--rows-per-call', rowsPerCall),
    rowsPerHour: readRows('--rows-per-hour', rowsPerHour),
    tables: [...table],
    noStructure: !structure,
  }
}

function readRows(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CliError(`${option} must be a number of rows from 1 to 999999999: ${text}`, 2)
  return Number(text)
}

/** Describes a scope in a few words. */
function showScope({ readOnly, orgs, workspaces, documents, caps }: KeyScope): string {
  const parts = [
    ...(readOnly ? ['read-only'] : []),
    ...(orgs.length > 0 ? [`orgs ${orgs.join(' ')}`] : []),
    ...(workspaces.length > 0 ? [`workspaces ${workspaces.join(' ')}`] : []),
    ...(documents.length > 0 ? [`docs ${documents.join(' ')}`] : []),
    ...(caps ? showCaps(caps) : []),
  ]
  return parts.join(', ')
}

function showCaps({ rowsPerCall, rowsPerHour, tables, noStructure }: KeyCaps): string[] {
  return [
    ...(rowsPerCall ? [`${rowsPerCall} rows a call`] : []),
    ...(rowsPerHour ? [`${rowsPerHour} rows an hour`] : []),
    ...(tables.length > 0 ? [`writes to tables ${tables.join(' ')}`] : []),
    ...(noStructure ? ['no structure'] : []),
  ]
}

function addList(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('list')
    .description('list the API keys of a user, without secrets')
    .argument('<email>', 'email address of the user')
    .option('--json', 'print them as a JSON array')
    .action(async (email: string, options: { json?: boolean }) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const user = await operator.getUser(email)
      const all = await operator.listKeys(user.id)
      if (options.json) {
        const shown = all.map(({ userId: _, expiresAt, lastUsedAt, scope, ...key }) => ({
          ...key,
          expiresAt: expiresAt || null,
          lastUsedAt: lastUsedAt || null,
          scope: scope ?? null,
        }))
        return terminal.out(JSON.stringify(shown))
      }
      const rows = all.map(({ id, prefix, name, createdAt, expiresAt, lastUsedAt, ...key }) => [
        String(id),
        `${prefix}…`,
        name,
        createdAt,
        expiresAt || 'never',
        lastUsedAt || 'never',
        key.scope
          ? showScope(key.scope)
          : key.isDefault
            ? 'everything (default key)'
            : 'everything',
      ])
      terminal.out(
        formatTable(['ID', 'KEY', 'NAME', 'CREATED', 'ENDS', 'LAST USED', 'REACHES'], rows),
      )
    })
}

function addRevoke(keys: Command, settings: CliSettings, terminal: Terminal): void {
  keys
    .command('revoke')
    .description('revoke an API key, effective immediately')
    .argument('<key>', 'id, prefix as listed, or the whole key')
    .action(async (idOrKey: string) => {
      await using operator = openOperator(await readOperatorTarget(settings))
      const key = await operator.revokeKey(idOrKey.replace(/…$/, ''))
      terminal.out(`API key ${key?.id} (${key?.prefix}…) is revoked`)
    })
}

const spans = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/**
 * Returns the ISO 8601 time of an expiry given as date, time or duration from `now`. Throws CliError for
 * anything else or the past.
 */
export function readExpiry(text: string, now: number): string {
  const span = /^(\d{1,6})([mhd])$/.exec(text)
  const at = span ? now + Number(span[1]) * spans[span[2] as keyof typeof spans] : Date.parse(text)
  if (Number.isNaN(at) || (!span && !/^\d{4}-\d\d-\d\d/.test(text))) {
    throw new CliError(
      `--expires must be a date, a time or a duration, such as 2030-01-31, 2030-01-31T12:00:00Z, 12h or 30d: ${text}`,
      2,
    )
  }
  if (at <= now) throw new CliError(`--expires must be in the future: ${text}`, 2)
  return new Date(at).toISOString()
}
