import { AppError } from '@sheaf/kit/errors'
import { roleAtLeast } from '@sheaf/auth/roles'
import type { Transaction } from 'kysely'
import { invalidUserRole, type Delta } from '../access/delta'
import type { DirectRole } from '../access/roles'
import type { Actor } from '../db/access-audit'
import { countPeople, MAX_PEOPLE } from '../db/people'
import { findRoles, lockOrg, putCap, putRoles, takeInside } from '../db/role-changes'
import { EVERYONE_ID, ANONYMOUS_ID, type DirectorySchema, type GrantedRole } from '../db/schema'
import { findNamedUsers, inviteUsers, type NamedUser } from '../db/users'
import type { Resource } from './access-resource'
import { accessDenied, isPublicUser } from './errors'

type Trx = Transaction<DirectorySchema>

/** A change of access, and how to find what it is about within the transaction. */
interface AccessUpdate {
  readonly actor: Actor
  readonly delta: Delta
  /** Throws when the actor cannot see the resource. */
  readonly find: () => Promise<Resource>
}

/** A user with the role that they are to have; null for none. */
interface NamedRole extends NamedUser {
  readonly role: GrantedRole | null
}

/**
 * Makes a change of access within a transaction and returns how many roles and caps are other than they were. Throws,
 * having changed nothing that lasts, for what is not permitted.
 */
export async function updateAccess(
  trx: Trx,
  { actor, delta, find }: AccessUpdate,
): Promise<number> {
  const resource = await findLocked(trx, find)
  const named = nameRoles(await findNamedUsers(trx, [...delta.roles.keys()]), delta)
  const isLeaving = requireRight(actor, resource, delta, named)
  requirePermitted(resource, named)
  await requireOnePublic(trx, resource, named)
  const all = [...named, ...(await inviteMissing(trx, delta, named))]
  const roles = new Map(all.map(({ id, role }) => [id, role]))
  let count = await keepOwner(trx, actor, resource, delta)
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

/** The resource as it is while nobody else changes access in its org. */
async function findLocked(trx: Trx, find: () => Promise<Resource>): Promise<Resource> {
  let resource = await find()
  for (;;) {
    const { orgId } = resource
    await lockOrg(trx, orgId)
    // Others may have changed it, or moved it away, before the lock was ours.
    resource = await find()
    if (resource.orgId === orgId) return resource
  }
}

/** Whether the actor takes their own role away, which everybody may. Throws unless they may do what they ask for. */
function requireRight(
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

/** Throws for a role that nobody may give to one of these users. */
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
    // What is open to the public can never belong to it.
    if (role === 'owners') throw invalidUserRole(role, email)
  }
}

/** Throws when both public users would have a role: which of them counts could not be seen. */
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

/** Makes users of the emails that nobody has and that are given a role. */
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
 * An owner by what comes down from above, who lets less come down, becomes an owner of the resource itself, so that they
 * do not lock themselves out and it keeps an owner.
 */
async function keepOwner(
  trx: Trx,
  { userId, ...actor }: Actor,
  resource: Resource,
  { cap }: Delta,
): Promise<number> {
  if (cap === undefined || cap === 'owners') return 0
  return putRoles(trx, { userId, ...actor }, resource, new Map([[userId, 'owners']]))
}

/**
 * Who is taken out of an org loses all that is in it. What would have no owner then goes to the owner who does it; who
 * leaves by themselves has to hand it over first.
 */
async function removeFromOrg(
  trx: Trx,
  actor: Actor,
  { orgId }: Resource,
  { all, isLeaving }: { all: readonly NamedRole[]; isLeaving: boolean },
): Promise<number> {
  const removed = all.filter(({ role }) => role === null).map(({ id }) => id)
  if (removed.length === 0) return 0
  const { count, ownerless } = await takeInside(trx, actor, orgId, removed)
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
