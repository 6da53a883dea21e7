import { requireSystem } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  EnsureUserRequest,
  ListUserNamesRequest,
  ListUsersRequest,
  User,
  UsersService,
} from '@sheaf/protos/sheaf/directory/v1/users'
import { defaultName, readEmail, requireName } from '../access/names'
import type { Context } from '../context'
import { ensureUser, listUserNames, listUsers, type UserRow } from '../db/users'
import { userDeletion } from './user-deletion'
import { isRowId } from './workspaces'

const MAX_PAGE = 1000
/** Emails of the public users, which no real user may have. */
const publicEmails: ReadonlySet<string> = new Set(['anon@getgrist.com', 'everyone@getgrist.com'])

/** Handlers of UsersService. */
export const users = (ctx: Context): UsersService => ({
  async ensureUser({ email: given, name }: EnsureUserRequest, call: ServerCall) {
    requireSystem(call)
    const email = readEmail(given)
    requireOrdinaryUser(email)
    const shownName = name === '' ? defaultName(email) : name
    const { user, created } = await ensureUser(ctx.db, { email, name: requireName(shownName) })
    return { user: userToWire(user), created }
  },

  async listUsers({ afterId, limit }: ListUsersRequest, call: ServerCall) {
    requireSystem(call)
    if (limit < 0 || afterId < 0)
      throw new AppError('invalid', 'INVALID_PAGE', 'after_id and limit must not be negative', {
        field: limit < 0 ? 'limit' : 'after_id',
      })
    const size = limit === 0 ? MAX_PAGE : Math.min(limit, MAX_PAGE)
    const rows = await listUsers(ctx.db, Math.min(afterId, 2 ** 31 - 1), size)
    return { users: rows.map(userToWire) }
  },

  async listUserNames({ userIds }: ListUserNamesRequest, call: ServerCall) {
    requireSystem(call)
    if (userIds.length > MAX_PAGE)
      throw new AppError(
        'invalid',
        'INVALID_PAGE',
        `user_ids must not have more than ${MAX_PAGE} items`,
        {
          field: 'user_ids',
        },
      )
    return { users: await listUserNames(ctx.db, userIds.filter(isRowId)) }
  },

  ...userDeletion(ctx),
})

/** Throws `invalid` for the emails of the public users. */
export function requireOrdinaryUser(email: string): void {
  if (publicEmails.has(email))
    throw new AppError('invalid', 'PUBLIC_USER', 'email must not be the address of a public user', {
      field: 'email',
    })
}

function userToWire(user: UserRow): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    createdAt: user.created_at.toISOString(),
  }
}
