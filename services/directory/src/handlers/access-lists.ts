import { readSnapshot } from '@sheaf/kit/postgres/database'
import { AppError } from '@sheaf/kit/errors'
import { roleFromWire, roleToWire, type RoleName } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  Role,
  type AccessEntry,
  type ListAccessRequest,
  type UpdateAccessRequest,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { requireDelta } from '../access/delta'
import { listFor, type Listed } from '../access/listing'
import type { Context } from '../context'
import { listPeople, type Person } from '../db/people'
import type { AccessListsService } from './access'
import { updateAccess } from './access-changes'
import { getResource, levelOf } from './access-resource'
import { requireUser } from './errors'

/** Handlers of AccessService that list and change access. */
export const accessLists = (ctx: Context): AccessListsService => ({
  async listAccess({ resource }: ListAccessRequest, call: ServerCall) {
    const userId = requireUser(call)
    // One snapshot, so that a concurrent deletion shows either all users or no resource.
    const { found, people } = await readSnapshot(ctx.db, async (db) => {
      const found = await getResource({ ...ctx, db }, userId, resource)
      return { found, people: await listPeople(db, found) }
    })
    const { users, isPersonal, isPublic } = listFor(found, people, userId)
    return {
      users: users.map(entryToWire),
      maxInheritedRole: roleToWire(found.cap ?? undefined),
      isPersonal,
      isPublic,
    }
  },

  async updateAccess(
    { resource, changes, maxInheritedRole }: UpdateAccessRequest,
    call: ServerCall,
  ) {
    const userId = requireUser(call)
    const requested = changes.map(({ email, role }) => ({
      email,
      role: readRole(role, 'delta.users') ?? undefined,
    }))
    const cap =
      maxInheritedRole === undefined
        ? undefined
        : readRole(maxInheritedRole, 'delta.maxInheritedRole')
    const delta = requireDelta(levelOf(resource), requested, cap)
    await ctx.changes.change(
      (db) => {
        const inside = { ...ctx, db }
        return updateAccess(db, {
          actor: { userId, email: call.caller.email, requestId: call.requestId },
          delta,
          find: () => getResource(inside, userId, resource),
        })
      },
      (count) => count > 0,
    )
    return {}
  },
})

/** Returns a role by name, null for none. Throws `invalid` for an unknown number. */
function readRole(wire: Role, field: string): RoleName | null {
  const role = roleFromWire(wire)
  if (role === undefined && wire !== Role.UNSPECIFIED)
    throw new AppError('invalid', 'INVALID_ROLE', `${field} has an unknown role`, {
      field,
    })
  return role ?? null
}

function entryToWire(person: Person & Listed): AccessEntry {
  return {
    userId: person.id,
    email: person.email,
    name: person.name,
    picture: person.picture ?? undefined,
    access: roleToWire(person.access),
    parentAccess: roleToWire(person.parentAccess),
    isMember: person.isMember,
    anonymous: person.kind === 'anonymous',
  }
}
