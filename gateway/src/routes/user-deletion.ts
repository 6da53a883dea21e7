import { z } from 'zod'
import { sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { userParams } from '../schemas/parameters'
import { text } from '../schemas/text'

/** Users: delete. */
export const userDeletionRoutes: readonly Route[] = [
  defineRoute({
    method: 'delete',
    path: '/api/users/{userId}',
    id: 'deleteUser',
    tag: 'users',
    summary: 'Delete your account',
    description:
      'Deletes the account with the personal site, its workspaces and its documents. This cannot be undone. Returns 409 ' +
      'if a team site would be left without an owner. Requires the user to be the caller.',
    access: 'caller',
    params: userParams,
    body: z.object({
      name: text.optional().meta({ description: 'Name of the user, as confirmation. Required.' }),
    }),
    success: { description: 'Done', schema: nothing },
    statuses: { 409: 'The user is the only owner of a team site.' },
    async handle(exchange, { params: { userId }, body: { name } }) {
      await exchange.context.directory.users.deleteUser({ userId, name }, exchange.call())
      sendNull(exchange)
    },
  }),
]
