import type { ApiKey as WireKey, KeyScope } from '@sheaf/protos/sheaf/directory/v1/keys'
import { z } from 'zod'
import { nameText, text } from './text'

const time = z.string().meta({ format: 'date-time' })
const keyText = z.string().meta({ description: 'The key; it is not shown again' })

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

/**
 * True for a scope that restricts its key. Empty lists alone do not: whoever sends them means nothing, not
 * everything.
 */
function restricts(given: {
  readonly readOnly?: boolean | null
  readonly orgs?: readonly unknown[] | null
  readonly workspaces?: readonly unknown[] | null
  readonly docs?: readonly unknown[] | null
}): boolean {
  const lists = [given.orgs, given.workspaces, given.docs].flatMap((list) => (list ? [list] : []))
  return lists.length > 0 ? lists.some(({ length }) => length > 0) : given.readOnly === true
}

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
    })
    .refine(restricts, 'must name at least one org, workspace or document, or be only readOnly')
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

function toScope({ readOnly, orgs, workspaces, documents }: KeyScope): z.output<typeof scope> {
  return { readOnly, orgs: orgs.map(Number), workspaces, docs: documents }
}

/** Converts a scope for directory. */
export function toWireScope(given: z.output<typeof apiKeyFields>['scope']): KeyScope | undefined {
  if (!given) return undefined
  return {
    readOnly: given.readOnly ?? false,
    orgs: given.orgs?.map(String) ?? [],
    workspaces: given.workspaces ?? [],
    documents: given.docs?.map(String) ?? [],
  }
}
