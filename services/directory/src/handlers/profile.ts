import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  Profile,
  ProfileService,
  UpdateProfileRequest,
} from '@sheaf/protos/sheaf/directory/v1/profile'
import { readNewName } from '../access/names'
import type { Context } from '../context'
import { findProfile, renameUser, type ProfileRow } from '../db/users'
import { requireSignedIn, requireUser, userNotFound } from './errors'

/** Handlers of ProfileService. */
export const profile = (ctx: Context): ProfileService => ({
  async getProfile(_request: unknown, call: ServerCall) {
    return { profile: profileToWire(await findProfile(ctx.db, requireUser(call))) }
  },

  async updateProfile({ name: given }: UpdateProfileRequest, call: ServerCall) {
    const userId = requireSignedIn(call)
    const name = readNewName(given)
    // Gateways cache tokens with the old name, so their caches must be invalidated before the response.
    if (name !== undefined) await ctx.changes.change((trx) => renameUser(trx, userId, name))
    return { profile: profileToWire(await findProfile(ctx.db, userId)) }
  },
})

function profileToWire(user: ProfileRow | undefined): Profile {
  if (!user) throw userNotFound()
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    picture: user.picture ?? undefined,
    anonymous: user.kind === 'anonymous',
  }
}
