import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { DeleteUserRequest, UsersService } from '@sheaf/protos/sheaf/directory/v1/users'
import type { Context } from '../context'
import {
  deleteUser,
  findOrgsOnlyOwnedBy,
  transferOwnership,
  lockUser,
  auditRevokedRoles,
} from '../db/user-deletion'
import { isPublicUser } from './errors'

/** The handler of UsersService with which users delete their own account. */
export const userDeletion = (ctx: Context): Pick<UsersService, 'deleteUser'> => ({
  async deleteUser({ userId, name }: DeleteUserRequest, call: ServerCall) {
    const id = requireOneself(userId, call)
    if (name === undefined)
      throw new AppError(
        'invalid',
        'NAME_REQUIRED',
        'to confirm deletion of a user, provide their name',
        { field: 'name' },
      )
    const actor = { userId: id, email: call.caller.email, requestId: call.requestId }
    await ctx.changes.change(async (trx) => {
      if ((await lockUser(trx, id)) !== name)
        throw new AppError('invalid', 'NAME_MISMATCH', 'user name did not match', { field: 'name' })
      const orphans = await findOrgsOnlyOwnedBy(trx, id)
      if (orphans.length > 0)
        throw new AppError(
          'conflict',
          'SOLE_OWNER',
          `these sites have no other owner, add one or delete them first: ${orphans.join(', ')}`,
        )
      await transferOwnership(trx, actor)
      await auditRevokedRoles(trx, actor)
      await deleteUser(trx, id)
    })
    ctx.outbox.wake()
    return {}
  },
})

/**
 * Returns the id of the caller. Throws `forbidden` unless it is the named user, with a token that is not for
 * a document.
 */
function requireOneself(userId: string, { caller }: ServerCall): number {
  const isOneself = !caller.system && !caller.anonymous && String(caller.userId) === userId
  if (isOneself && !isPublicUser(caller.userId) && caller.docId === undefined) return caller.userId
  throw new AppError('forbidden', 'NOT_ONESELF', 'not permitted to delete this user')
}
