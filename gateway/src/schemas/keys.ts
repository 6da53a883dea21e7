import type { ApiKey as WireKey, KeyScope } from '@sheaf/protos/sheaf/directory/v1/keys'
import { z } from 'zod'
import { nameText, text } from './text'

const time = z.string().meta({ format: 'date-time' })
const keyText = z.string().meta({ description: 'The key: shown this once' })

const scope = z
  .object({
    readOnly: z.boolean().meta({ description: 'Nothing may be changed' }),
    orgs: z.array(z.int()).meta({ description: 'Orgs that it reaches, with all inside' }),
    workspaces: z.array(z.int()).meta({ description: 'Workspaces that it reaches' }),
    docs: z.array(z.string()).meta({ description: 'Documents that it reaches, by UUID' }),
  })
  .meta({
    id: 'KeyScope',
    description:
      'What a key is confined to, within what its user may do. Where all lists are empty it reaches all that its user does.',
  })

/** An API key without its secret. */
export const apiKey = z
  .object({
    id: z.int(),
    name: z.string(),
    prefix: z.string().meta({ description: 'First characters, enough to recognise the key' }),
    isDefault: z.boolean().meta({ description: 'True for the one key of the profile' }),
    scope: scope.nullable().meta({ description: 'Null for a key that is not confined' }),
    createdAt: time,
    expiresAt: time.nullable().meta({ description: 'Null for never' }),
    lastUsedAt: time.nullable().meta({ description: 'Exact to a minute; null for never' }),
  })
  .meta({ id: 'ApiKey' })

/** A new API key, with its secret. */
export const newApiKey = apiKey.extend({ key: keyText }).meta({ id: 'NewApiKey' })

/** Fields of a named key to create. */
export const apiKeyFields = z.strictObject({
  name: nameText.nullish().meta({ description: 'What the key is for; required' }),
  expiresAt: text.nullish().meta({ description: 'ISO 8601 time to come; none for never' }),
  scope: z
    .strictObject({
      readOnly: z.boolean().nullish(),
      orgs: z.array(z.union([z.int(), text])).nullish(),
      workspaces: z.array(z.int()).nullish(),
      docs: z.array(z.union([z.int(), text])).nullish(),
    })
    .nullish()
    .meta({
      description:
        'Confines the key. An org may be named by its domain, a document by its integer id or urlId',
    }),
})

/** Fields of the default key to create. */
export const defaultKeyFields = z.object({
  force: z.boolean().nullish().meta({ description: 'Replace the key that there is' }),
})

/** Converts a key to JSON. */
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

/** Converts a scope to the form of directory. */
export function toWireScope(given: z.output<typeof apiKeyFields>['scope']): KeyScope | undefined {
  if (!given) return undefined
  return {
    readOnly: given.readOnly ?? false,
    orgs: given.orgs?.map(String) ?? [],
    workspaces: given.workspaces ?? [],
    documents: given.docs?.map(String) ?? [],
  }
}
