import { z } from 'zod'
import { text } from './text'

const integerText = z
  .string()
  .regex(/^\d{1,15}$/, 'cannot be understood as an integer')
  .transform(Number)

/** An org in a path. */
export const orgParams = z.object({
  orgId: text.meta({
    description: 'Integer id, subdomain, or `current` for the site addressed',
    example: 'current',
  }),
})

/** A workspace in a path. */
export const workspaceParams = z.object({
  workspaceId: integerText.meta({ type: 'integer', description: 'Integer id', example: 12 }),
})

/** An API key in a path. */
export const keyParams = z.object({
  keyId: integerText.meta({ type: 'integer', description: 'Integer id of the key', example: 7 }),
})

/** A session in a path. */
export const sessionParams = z.object({
  sessionId: integerText.meta({
    type: 'integer',
    description: 'Integer id of the session',
    example: 7,
  }),
})

/** An org in a path, with its name as confirmation. */
export const namedOrgParams = orgParams.extend({
  name: text.meta({ description: 'Name or subdomain of the org, or `force-delete`' }),
})

/** A user in a path. */
export const userParams = z.object({
  userId: text.meta({ type: 'integer', description: 'Integer id', example: 3 }),
})

const docId = text.meta({
  description: 'UUID of the document, as its creation returned it; its integer id or urlId will do',
  example: '7c7ab2f0-0f7c-4b39-8a3c-3a6d6c0f9b1e',
})

/** A document in a path. */
export const docParams = z.object({ docId })

/** A table of a document in a path. */
export const tableParams = z.object({
  docId,
  tableId: text.meta({ description: 'Normalized table name', example: 'People' }),
})

/** A column of a table in a path. */
export const columnParams = tableParams.extend({
  columnId: text.meta({ description: 'Column id, without the `$` of formulas', example: 'Name' }),
})

/** A flag in a query: true for `1`, `on`, `true` and `yes`, false for anything else, also when empty. */
export const flag = (description: string): z.ZodType<boolean> =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => typeof value === 'string' && /^(1|on|true|yes)$/i.test(value))
    .meta({ type: 'boolean', description })

/** An enumeration in a query; the first value when it is absent or empty. */
export const choice = <const T extends readonly [string, ...string[]]>(
  words: T,
  description: string,
): z.ZodType<T[number]> =>
  z
    .enum(['', ...words], `should be one of ${words.join(',')}`)
    .optional()
    .transform((word): T[number] => word || words[0])
    .meta({ type: 'string', enum: [...words], default: words[0], description })

/** Query of listings that can include the trash. */
export const showRemoved = z.object({ showRemoved: flag('Show what is in the trash') })

/** Query of operations that move something to the trash. */
export const permanent = z.object({ permanent: flag('Delete it at once; it cannot be undone') })
