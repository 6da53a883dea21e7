import { z } from 'zod'

/** The body of every answer that is an error. */
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

/** The answer of writes that have nothing to tell. */
export const nothing = z.null().meta({ description: 'The JSON literal null' })
