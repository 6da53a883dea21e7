import { z } from 'zod'

/** The body of every error response. */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'Error message', example: 'document not found' }),
    details: z
      .looseObject({
        reason: z
          .string()
          .meta({ description: 'Stable error code', example: 'DOCUMENT_NOT_FOUND' }),
        userError: z
          .string()
          .optional()
          .meta({ description: 'Parts of the body that do not match the schema' }),
      })
      .meta({ description: 'Facts for programs; further ones depend on the reason' }),
  })
  .meta({ id: 'Error', description: 'Body of every error response' })

/** The response of writes without a result. */
export const nothing = z.null().meta({ description: 'The JSON literal null' })
