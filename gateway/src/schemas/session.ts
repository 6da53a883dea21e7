import { z } from 'zod'

/** The signed-in user, with the facts that a page needs. */
export const session = z
  .object({
    user: z
      .object({ id: z.int(), name: z.string(), email: z.string() })
      .nullable()
      .meta({ description: 'Null for the anonymous user' }),
    csrfToken: z.string().nullable().meta({
      description:
        'To be sent as the header X-CSRF-Token with what changes something by the session cookie; null without a session',
    }),
    signIn: z
      .object({
        oidc: z.boolean().meta({ description: 'By an identity provider' }),
        mail: z.boolean().meta({ description: 'By a link that is mailed' }),
      })
      .meta({ description: 'How people can sign in, besides with a link from the operator' }),
  })
  .meta({ id: 'Session' })

/** How a session ends. */
export const signOut = z.strictObject({
  everywhere: z
    .boolean()
    .nullish()
    .meta({ description: 'End all sessions of the user, and their links that are still open' }),
})
