import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { Transaction } from 'kysely'
import { invalidUserRole, type Delta } from '../access/delta'
import type { DirectRole } from '../access/roles'
import type { Actor } from '../db/access-audit'
import { countPeople, MAX_PEOPLE } from '../db/people'
import { findRoles, lockOrg, putCap, putRoles, revokeInside } from '../db/role-changes'
import { EVERYONE_ID, ANONYMOUS_ID, type DirectorySchema, type GrantedRole } from '../db/schema'
import { findNamedUsers, inviteUsers, type NamedUser } from '../db/users'
import type { Resource } from './access-resource'
import { accessDenied, isPublicUser } from './errors'

type Trx = Transaction<DirectorySchema>

/** A change of access, and how to find its resource within the transaction. */
interface AccessUpdate {
  readonly actor: Actor
  readonly delta: Delta
  /** Throws when the actor cannot see the resource. */
  readonly find: () => Promise<Resource>
}

/** A user with their new role; null for none. */
interface NamedRole extends NamedUser {
  readonly role: GrantedRole | null
}

/**
 * Applies a change of access within a transaction and returns the number of changed roles and caps. Throws,
 * without lasting effect, for a change that is not permitted.
 */
export async function updateAccess(
  trx: Trx,
  { actor, delta, find }: AccessUpdate,
): Promise<number> {
  const resource = await findLocked(trx, find)
  const named = nameRoles(await findNamedUsers(trx, [...delta.roles.keys()]), delta)
  const isLeaving = requireAccessRight(actor, resource, delta, named)
  requirePermitted(resource, named)
  await requireOnePublic(trx, resource, named)
  const all = [...named, ...(await inviteMissing(trx, delta, named))]
  const roles = new Map(all.map(({ id, role }) => [id, role]))
  let count = await preserveOwnership(trx, actor, resource, delta)
  count += await putRoles(trx, actor, resource, roles)
  if (delta.cap !== undefined && resource.level !== 'org' && delta.cap !== resource.cap) {
    const { level } = resource
    await putCap(trx, actor, { ...resource, level }, { from: resource.cap, to: delta.cap })
    count += 1
  }
  if (resource.level === 'org')
    count += await removeFromOrg(trx, actor, resource, { all, isLeaving })
  if (all.some(({ role }) => role !== null)) await requireRoom(trx, resource)
  return count
}

/** Returns the resource while concurrent changes of access in its org are blocked. */
async function findLocked(trx: Trx, find: () => Promise<Resource>): Promise<Resource> {
  let resource = await find()
  for (;;) {
    const { orgId } = resource
    await lockOrg(trx, orgId)
    // It may have been changed or moved before the lock was acquired.
    resource = await find()
    if (resource.orgId === orgId) return resource
  }
}

/**
 * Returns whether the actor revokes their own role, which everybody may do. Throws unless the change is
 * permitted.
 */
function requireAccessRight(
  { userId }: Actor,
  { role }: Resource,
  { cap, roles }: Delta,
  named: readonly NamedRole[],
): boolean {
  const self = named.find(({ id }) => id === userId)
  if (!roleAtLeast(role ?? undefined, 'owners')) {
    const isLeaving = self?.kind === 'login' && self.role === null && roles.size === 1
    if (!isLeaving || cap !== undefined) throw accessDenied()
    return true
  }
  if (self)
    throw new AppError('invalid', 'OWN_ACCESS', 'Bad request: cannot update own permissions', {
      field: 'delta.users',
      email: self.email,
    })
  return false
}

/** Throws for a role that may not be granted to one of these users. */
function requirePermitted({ level, ownerId }: Resource, named: readonly NamedRole[]): void {
  for (const { id, kind, role, email } of named) {
    if (id === ownerId)
      throw new AppError(
        'invalid',
        'PERSONAL_ORG_OWNER',
        'the owner of a personal site cannot be changed',
        {
          field: 'delta.users',
          email,
        },
      )
    if (role === null || kind === 'login') continue
    if (level === 'org' && kind === 'everyone')
      throw new AppError(
        'forbidden',
        'EVERYONE_AT_TOP',
        'This user cannot share with everyone at top level',
        { field: 'delta.users', email },
      )
    // The public users cannot own anything.
    if (role === 'owners') throw invalidUserRole(role, email)
  }
}

/** Throws when both public users would have a role, since it would be unclear which of them applies. */
async function requireOnePublic(
  trx: Trx,
  resource: Resource,
  named: readonly NamedRole[],
): Promise<void> {
  const publicRoles = named.filter(({ id, role }) => isPublicUser(id) && role !== null)
  if (publicRoles.length === 0) return
  const after = new Map(await findRoles(trx, resource, [ANONYMOUS_ID, EVERYONE_ID]))
  for (const { id, role } of named) {
    if (role === null) after.delete(id)
    else if (isPublicUser(id)) after.set(id, role)
  }
  if (after.size > 1)
    throw new AppError(
      'invalid',
      'TWO_PUBLIC_USERS',
      'this user cannot share with everyone and anonymous',
      { field: 'delta.users' },
    )
}

const toStored = (role: DirectRole): GrantedRole | null => role ?? null

function nameRoles(users: readonly NamedUser[], { roles }: Delta): NamedRole[] {
  return users.map((user) => ({ ...user, role: toStored(roles.get(user.email)) }))
}

/** Creates users for unknown emails that are granted a role. */
async function inviteMissing(
  trx: Trx,
  delta: Delta,
  named: readonly NamedRole[],
): Promise<NamedRole[]> {
  const known = new Set(named.map(({ email }) => email))
  const missing = [...delta.roles].filter(
    ([email, role]) => role !== undefined && !known.has(email),
  )
  const emails = missing.map(([email]) => email)
  return nameRoles(await inviteUsers(trx, emails), delta)
}

/**
 * Makes an owner by inheritance who lowers the cap a direct owner, so that they keep access and the resource
 * keeps an owner.
 */
async function preserveOwnership(
  trx: Trx,
  { userId, ...actor }: Actor,
  resource: Resource,
  { cap }: Delta,
): Promise<number> {
  if (cap === undefined || cap === 'owners') return 0
  return putRoles(trx, { userId, ...actor }, resource, new Map([[userId, 'owners']]))
}

/**
 * A user removed from an org loses all roles inside it. Resources left without an owner go to the owner who
 * removes the user; a user who leaves must transfer them first.
 */
async function removeFromOrg(
  trx: Trx,
  actor: Actor,
  { orgId }: Resource,
  { all, isLeaving }: { all: readonly NamedRole[]; isLeaving: boolean },
): Promise<number> {
  const removed = all.filter(({ role }) => role === null).map(({ id }) => id)
  if (removed.length === 0) return 0
  const { count, ownerless } = await revokeInside(trx, actor, orgId, removed)
  if (ownerless.length > 0 && isLeaving)
    throw new AppError(
      'invalid',
      'LAST_OWNER',
      `you are the only owner of ${ownerless.length} workspaces or documents: add another owner to them first`,
      { field: 'delta.users' },
    )
  for (const resource of ownerless)
    await putRoles(trx, actor, resource, new Map([[actor.userId, 'owners']]))
  return count + ownerless.length
}

async function requireRoom(trx: Trx, { orgId }: Resource): Promise<void> {
  if ((await countPeople(trx, orgId)) > MAX_PEOPLE)
    throw new AppError(
      'too_many',
      'TOO_MANY_PEOPLE',
      `an org must not have more than ${MAX_PEOPLE} users`,
      { field: 'delta.users' },
    )
}
