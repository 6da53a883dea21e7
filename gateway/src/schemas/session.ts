import { z } from 'zod'

/** The signed-in user, the CSRF token and the available sign-in methods. */
export const session = z
  .object({
    user: z
      .object({
        id: z.int().describe('Integer id of the user'),
        name: z.string().describe('Name of the user'),
        email: z.string().describe('Email address of the user'),
      })
      .nullable()
      .meta({ description: 'Null for the anonymous user' }),
    csrfToken: z.string().nullable().meta({
      description:
        'Value of the header `X-CSRF-Token` for writes with the session cookie; null without a session',
    }),
    signIn: z
      .object({
        oidc: z.boolean().meta({ description: 'With an identity provider' }),
        mail: z.boolean().meta({ description: 'With a link sent by mail' }),
      })
      .meta({ description: 'Available sign-in methods, besides links from the operator' }),
  })
  .meta({ id: 'Session', description: 'Signed-in user, CSRF token and sign-in methods' })

/** Body of signing out. */
export const signOut = z.strictObject({
  everywhere: z
    .boolean()
    .nullish()
    .meta({ description: 'End all sessions of the user and invalidate unused sign-in links' }),
})
