import { AppError } from '@sheaf/kit/errors'
import { sendJson, sendText } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { newName, profile, toProfile } from '../schemas/profile'

const tag = 'profile'

/** The calling user: describe, rename. */
export const profileRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/profile/user',
    id: 'describeProfile',
    tag,
    summary: 'Get your profile',
    description: 'Returns the calling user; without credentials, the anonymous user.',
    access: 'caller',
    success: { description: 'The user', schema: profile },
    async handle(exchange) {
      const { directory } = exchange.context
      const found = await directory.profile.getProfile({}, exchange.call())
      if (!found.profile) throw new Error('directory answered without a profile')
      sendJson(exchange, toProfile(found.profile))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profile/user/name',
    id: 'renameUser',
    tag,
    summary: 'Change your name',
    description: 'Requires a signed-in user.',
    access: 'caller',
    body: newName,
    success: { description: 'The text `OK`', mediaType: 'text/plain' },
    async handle(exchange, { body: { name } }) {
      if (!name)
        throw new AppError('invalid', 'NAME_REQUIRED', 'Name expected in the body', {
          field: 'name',
        })
      await exchange.context.directory.profile.updateProfile({ name }, exchange.call())
      sendText(exchange, 'OK')
    },
  }),
]
