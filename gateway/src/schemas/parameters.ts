import { z } from 'zod'
import { text } from './text'

const integerText = z
  .string()
  .regex(/^\d{1,15}$/, 'cannot be understood as an integer')
  .transform(Number)

/** Path parameters of an org. */
export const orgParams = z.object({
  orgId: text.meta({
    description: 'Integer id or subdomain of the org, or `current` for the site of the request URL',
    example: 'current',
  }),
})

/** Path parameters of a workspace. */
export const workspaceParams = z.object({
  workspaceId: integerText.meta({
    type: 'integer',
    description: 'Integer id of the workspace',
    example: 12,
  }),
})

/** Path parameters of an API key. */
export const keyParams = z.object({
  keyId: integerText.meta({ type: 'integer', description: 'Integer id of the key', example: 7 }),
})

/** Path parameters of a session. */
export const sessionParams = z.object({
  sessionId: integerText.meta({
    type: 'integer',
    description: 'Integer id of the session',
    example: 7,
  }),
})

/** Path parameters of an org and its name, as confirmation. */
export const namedOrgParams = orgParams.extend({
  name: text.meta({
    description: 'Name or subdomain of the org, or `force-delete` to skip the check',
  }),
})

/** Path parameters of a user. */
export const userParams = z.object({
  userId: text.meta({ type: 'integer', description: 'Integer id of the user', example: 3 }),
})

const docId = text.meta({
  description:
    'UUID of the document, also as 22 characters of base58; its integer id; or its `urlId`',
  example: '7c7ab2f0-0f7c-4b39-8a3c-3a6d6c0f9b1e',
})

/** Path parameters of a document. */
export const docParams = z.object({ docId })

/** Path parameters of a table. */
export const tableParams = z.object({
  docId,
  tableId: text.meta({ description: 'Table id', example: 'People' }),
})

/** Path parameters of a column. */
export const columnParams = tableParams.extend({
  columnId: text.meta({
    description: 'Column id, without the `$` used in formulas',
    example: 'Name',
  }),
})

/** Path parameters of a view. */
export const viewParams = tableParams.extend({
  viewId: integerText.meta({ type: 'integer', description: 'Integer id of the view', example: 5 }),
})

/** Path parameters of a form. */
export const formParams = docParams.extend({
  viewId: integerText.meta({
    type: 'integer',
    description: 'Integer id of the view of type `form`',
    example: 5,
  }),
})

/** A boolean query parameter: true for `1`, `on`, `true` and `yes` in any case, else false. */
export const flag = (description: string): z.ZodType<boolean> =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((value) => typeof value === 'string' && /^(1|on|true|yes)$/i.test(value))
    .meta({ type: 'boolean', description })

/** A query parameter for the maximum number of items of an answer. */
export function limitUpTo(
  max: number,
  { byDefault, description }: { readonly byDefault: number; readonly description: string },
): z.ZodType<number> {
  const message = `must be an integer from 1 to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= max, message)
    .default(byDefault)
    .meta({ type: 'integer', minimum: 1, maximum: max, default: byDefault, description })
}

/** The items of a query parameter with a list, separated by commas; undefined if it is absent. */
export function splitList(items: string | undefined): string[] | undefined {
  return items?.split(',').filter((item) => item !== '')
}

/** An enumerated query parameter; absent or empty, it is the first of the words. */
export const choice = <const T extends readonly [string, ...string[]]>(
  words: T,
  description: string,
): z.ZodType<T[number]> =>
  z
    .enum(['', ...words], `should be one of ${words.join(',')}`)
    .optional()
    .transform((word): T[number] => word || words[0])
    .meta({ type: 'string', enum: [...words], default: words[0], description })

/** Query parameters of operations that can include the trash. */
export const showRemoved = z.object({ showRemoved: flag('Include resources in the trash') })

/** Query parameters of operations that move a resource to the trash. */
export const permanent = z.object({
  permanent: flag('Delete permanently instead of moving to the trash. This cannot be undone.'),
})
