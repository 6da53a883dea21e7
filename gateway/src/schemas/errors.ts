import { z } from 'zod'

/** The body of every error response. */
export const errorBody = z
  .object({
    error: z
      .string()
      .meta({ description: 'What is wrong, for people', example: 'document not found' }),
    details: z
      .looseObject({
        reason: z
          .string()
          .meta({ description: 'What is wrong, for programs', example: 'DOCUMENT_NOT_FOUND' }),
        userError: z
          .string()
          .optional()
          .meta({ description: 'Which part of the body does not fit its schema' }),
      })
      .optional(),
  })
  .meta({ id: 'Error' })

/** The response of writes without a result. */
export const nothing = z.null().meta({ description: 'The JSON literal null' })
