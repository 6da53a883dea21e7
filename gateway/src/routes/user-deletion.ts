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
      'The personal site goes with it, with all its workspaces and documents. It cannot be undone. Answers 409 while ' +
      'a team site would be left without an owner.',
    access: 'caller',
    params: userParams,
    body: z.object({
      name: text.optional().meta({ description: 'Your name, to be sure. Required' }),
    }),
    success: { description: 'Done', schema: nothing },
    async handle(exchange, { params: { userId }, body: { name } }) {
      await exchange.context.directory.users.deleteUser({ userId, name }, exchange.call())
      sendNull(exchange)
    },
  }),
]
