import type { ApiKey as WireKey, KeyCaps, KeyScope } from '@sheaf/protos/sheaf/directory/v1/keys'
import { z } from 'zod'
import { nameText, text } from './text'

const time = z.string().meta({ format: 'date-time' })
const keyText = z.string().meta({ description: 'The key; it is not shown again' })

const caps = z
  .object({
    rowsPerCall: z.int().nullable().describe('Rows that one call may write; null for no cap'),
    rowsPerHour: z
      .int()
      .nullable()
      .describe('Rows that may be written into one document within an hour; null for no cap'),
    tables: z
      .array(z.string())
      .nullable()
      .describe('Ids of the only tables that may be written; null for all'),
    noStructure: z.boolean().describe('Whether changes of tables and columns are refused'),
  })
  .meta({ id: 'KeyCaps', description: 'Caps on what a key may write into documents' })

const scope = z
  .object({
    readOnly: z.boolean().meta({ description: 'Whether the key can only read' }),
    orgs: z
      .array(z.int())
      .meta({ description: 'Orgs that the key can access, with everything in them' }),
    workspaces: z
      .array(z.int())
      .meta({ description: 'Workspaces that the key can access, with their documents' }),
    docs: z.array(z.string()).meta({ description: 'UUIDs of documents that the key can access' }),
    caps: caps.nullable().describe('Caps on writes; null for a key without them'),
  })
  .meta({
    id: 'KeyScope',
    description:
      'Limits a key to part of the access of its user. If all lists are empty, the key can access everything that its user can.',
  })

/** An API key without its secret. */
export const apiKey = z
  .object({
    id: z.int().describe('Integer id of the key'),
    name: z.string().describe('Purpose of the key'),
    prefix: z.string().meta({ description: 'First characters, for recognizing the key' }),
    isDefault: z.boolean().meta({ description: 'Whether this is the default key of the user' }),
    scope: scope.nullable().meta({ description: 'Null for a key without a scope' }),
    createdAt: time.describe('Time of creation'),
    expiresAt: time.nullable().meta({ description: 'Null if the key does not expire' }),
    lastUsedAt: time
      .nullable()
      .meta({ description: 'Accurate to one minute; null if the key was never used' }),
  })
  .meta({ id: 'ApiKey', description: 'API key without its secret' })

/** A new API key with its secret. */
export const newApiKey = apiKey
  .extend({ key: keyText })
  .meta({ id: 'NewApiKey', description: 'New API key with its secret' })

const rowCount = z.int().min(1).max(1_000_000_000)

/**
 * True for a scope that restricts its key. Empty lists alone do not: whoever sends them means nothing, not
 * everything.
 */
function restricts(given: {
  readonly readOnly?: boolean | null
  readonly orgs?: readonly unknown[] | null
  readonly workspaces?: readonly unknown[] | null
  readonly docs?: readonly unknown[] | null
  readonly caps?: object | null
}): boolean {
  const lists = [given.orgs, given.workspaces, given.docs].flatMap((list) => (list ? [list] : []))
  return lists.length > 0
    ? lists.some(({ length }) => length > 0)
    : given.readOnly === true || !!given.caps
}

const capsFields = z
  .strictObject({
    rowsPerCall: rowCount.nullish().describe('Rows that one call may write'),
    rowsPerHour: rowCount
      .nullish()
      .describe('Rows that may be written into one document within an hour'),
    tables: z
      .array(text)
      .min(1)
      .nullish()
      .describe('Ids of the only tables that may be written; reading is not affected'),
    noStructure: z
      .boolean()
      .nullish()
      .describe('Whether changes of tables and columns are refused'),
  })
  .refine(
    (given) =>
      Object.values(given).some((cap) => cap !== null && cap !== undefined && cap !== false),
    'must have at least one cap',
  )

/** Body of creating a named key. */
export const apiKeyFields = z.strictObject({
  name: nameText.nullish().meta({ description: 'Purpose of the key. Required.' }),
  expiresAt: text
    .nullish()
    .meta({ description: 'ISO 8601 time in the future; absent for a key that does not expire' }),
  scope: z
    .strictObject({
      readOnly: z.boolean().nullish().describe('Whether the key can only read'),
      orgs: z
        .array(z.union([z.int(), text]))
        .nullish()
        .describe('Sites that the key can access, with everything in them'),
      workspaces: z
        .array(z.int())
        .nullish()
        .describe('Workspaces that the key can access, with their documents'),
      docs: z
        .array(z.union([z.int(), text]))
        .nullish()
        .describe('Documents that the key can access'),
      caps: capsFields
        .nullish()
        .describe(
          'Caps on writes; with them the key changes nothing but the contents of documents',
        ),
    })
    .refine(
      restricts,
      'must name at least one org, workspace or document, or be only readOnly or caps',
    )
    .nullish()
    .meta({
      description:
        'Scope of the key, which must restrict it; absent for a key that can do everything. Orgs are given by integer id or subdomain, documents by UUID, integer id or `urlId`.',
    }),
})

/** Body of creating the default key. */
export const defaultKeyFields = z.object({
  force: z.boolean().nullish().meta({ description: 'Replace an existing default key' }),
})

/** Converts a key to its JSON. */
export function toApiKey(key: WireKey): z.output<typeof apiKey> {
  const { id, name, prefix, isDefault, createdAt, expiresAt, lastUsedAt } = key
  return {
    id,
    name,
    prefix,
    isDefault,
    scope: key.scope ? toScope(key.scope) : null,
    createdAt,
    expiresAt: expiresAt || null,
    lastUsedAt: lastUsedAt || null,
  }
}

function toScope(given: KeyScope): z.output<typeof scope> {
  const { readOnly, orgs, workspaces, documents } = given
  return {
    readOnly,
    orgs: orgs.map(Number),
    workspaces,
    docs: documents,
    caps: given.caps ? toCaps(given.caps) : null,
  }
}

function toCaps({ rowsPerCall, rowsPerHour, tables, noStructure }: KeyCaps): z.output<typeof caps> {
  return {
    rowsPerCall: rowsPerCall ?? null,
    rowsPerHour: rowsPerHour ?? null,
    tables: tables.length > 0 ? tables : null,
    noStructure,
  }
}

/** Converts a scope for directory. */
export function toWireScope(given: z.output<typeof apiKeyFields>['scope']): KeyScope | undefined {
  if (!given) return undefined
  return {
    readOnly: given.readOnly ?? false,
    orgs: given.orgs?.map(String) ?? [],
    workspaces: given.workspaces ?? [],
    documents: given.docs?.map(String) ?? [],
    caps: given.caps ? toWireCaps(given.caps) : undefined,
  }
}

function toWireCaps({
  rowsPerCall,
  rowsPerHour,
  tables,
  noStructure,
}: z.output<typeof capsFields>): KeyCaps {
  return {
    rowsPerCall: rowsPerCall ?? undefined,
    rowsPerHour: rowsPerHour ?? undefined,
    tables: tables ?? [],
    noStructure: noStructure ?? false,
  }
}
