import { roleAtLeast, type RoleName } from '@sheaf/auth/roles'
import type { Level } from './delta'
import {
  effectiveRole,
  inheritedRole,
  type DirectRole,
  type LevelAccess,
  type RoleCap,
} from './roles'

/** A resource, and how much of the roles above comes down to it. */
export interface ListedResource {
  readonly level: Level
  /** Cap of the workspace; without meaning on an org. */
  readonly workspaceCap: RoleCap
  /** Cap of the document; without meaning on an org or a workspace. */
  readonly documentCap: RoleCap
}

/** What one user has been given in an org, on the resource and on what is above it. */
export interface PersonRoles {
  readonly kind: 'login' | 'anonymous' | 'everyone'
  readonly orgRole: DirectRole | null
  readonly workspaceRole: DirectRole | null
  readonly documentRole: DirectRole | null
  /** True when something inside the org is shared with the user. */
  readonly isOrgGuest: boolean
  /** True when a document inside the workspace is shared with the user. */
  readonly isWorkspaceGuest: boolean
}

/** How a user stands in the listing of a resource. */
export interface Listed {
  /** The role given on the resource itself; `guests` where only something inside is shared. */
  readonly access: RoleName | undefined
  /** The role on the parent, before it is cut by the cap of the resource. */
  readonly parentAccess: DirectRole
  /** What the user may do by what was given to them, without what is open to everybody. */
  readonly effective: DirectRole
  readonly isMember: boolean
}

/** What a listing says of one user. */
export function listPerson(resource: ListedResource, person: PersonRoles): Listed {
  const { level } = resource
  const levels = levelsOf(resource, person)
  const parent = levels.length > 1 ? effectiveRole(levels.slice(0, -1)) : undefined
  return {
    access: levels[levels.length - 1]?.direct[0] ?? (isGuest(level, person) ? 'guests' : undefined),
    // Nothing is cut here but what never comes down at all.
    parentAccess: inheritedRole(parent, 'owners'),
    effective: effectiveRole(levels),
    isMember: person.orgRole !== null,
  }
}

/** What an org, and where it lies below one a workspace and a document, say about one user; from the org down. */
function levelsOf(
  { level, workspaceCap, documentCap }: ListedResource,
  { orgRole, workspaceRole, documentRole }: PersonRoles,
): LevelAccess[] {
  const all = [
    { direct: [orgRole ?? undefined], cap: null },
    { direct: [workspaceRole ?? undefined], cap: workspaceCap },
    { direct: [documentRole ?? undefined], cap: documentCap },
  ]
  return all.slice(0, { org: 1, workspace: 2, document: 3 }[level])
}

/** What is open to everybody is unlisted, so it makes nobody a guest of what is above it. */
function isGuest(level: Level, { kind, isOrgGuest, isWorkspaceGuest }: PersonRoles): boolean {
  if (kind === 'everyone') return false
  return (level === 'org' && isOrgGuest) || (level === 'workspace' && isWorkspaceGuest)
}

/** A listing as one caller gets it. */
export interface Listing<T> {
  readonly users: (T & Listed)[]
  /** True when the caller does not see everybody. */
  readonly isPersonal: boolean
  /** True when the caller has nothing of their own here and comes in as everybody may. */
  readonly isPublic: boolean
}

/**
 * Who is shown to a caller: everybody to an owner; to an editor of a document, who can open it; to all others, the
 * public users among them, only themselves.
 */
export function listFor<T extends PersonRoles & { readonly id: number }>(
  resource: ListedResource,
  people: readonly T[],
  callerId: number,
): Listing<T> {
  const listed = people.map((person) => ({ ...person, ...listPerson(resource, person) }))
  const self = listed.find(({ id }) => id === callerId)
  const signedIn = self?.kind === 'login' ? self : undefined
  if (signedIn?.effective === 'owners')
    return {
      users: listed.filter((person) => isListed(resource.level, person)),
      isPersonal: false,
      isPublic: false,
    }
  const seesReaders = resource.level === 'document' && roleAtLeast(signedIn?.effective, 'editors')
  const isInside = self !== undefined && (self.effective ?? self.access) !== undefined
  return {
    users: seesReaders
      ? listed.filter(({ effective }) => effective !== undefined)
      : isInside
        ? [self]
        : [],
    isPersonal: true,
    isPublic: signedIn === undefined || !isInside,
  }
}

/**
 * People of the org stand in the listings of all that is in it; the public users only where they have something, be it
 * above a resource that lets nothing come down.
 */
function isListed(level: Level, { kind, access, parentAccess }: PersonRoles & Listed): boolean {
  if ((access ?? parentAccess) !== undefined) return true
  return level !== 'org' && kind === 'login'
}
