import { roleAtLeast, type RoleName } from '@sheaf/auth/roles'
import type { Level } from './delta'
import {
  effectiveRole,
  inheritedRole,
  type DirectRole,
  type LevelAccess,
  type RoleCap,
} from './roles'

/** A resource, with the caps on inherited roles. */
export interface ListedResource {
  readonly level: Level
  /** Cap of the workspace; unused for an org. */
  readonly workspaceCap: RoleCap
  /** Cap of the document; unused for an org or a workspace. */
  readonly documentCap: RoleCap
}

/** The direct roles of one user in an org, on the resource and its ancestors. */
export interface PersonRoles {
  readonly kind: 'login' | 'anonymous' | 'everyone'
  readonly orgRole: DirectRole | null
  readonly workspaceRole: DirectRole | null
  readonly documentRole: DirectRole | null
  /** True when a resource inside the org is shared with the user. */
  readonly isOrgGuest: boolean
  /** True when a document inside the workspace is shared with the user. */
  readonly isWorkspaceGuest: boolean
}

/** A user's entry in the access list of a resource. */
export interface Listed {
  /** The direct role on the resource; `guests` when only something inside is shared. */
  readonly access: RoleName | undefined
  /** The role on the parent, before the resource's cap applies. */
  readonly parentAccess: DirectRole
  /** The effective role from the user's own grants, without grants to everybody. */
  readonly effective: DirectRole
  readonly isMember: boolean
}

/** Computes the entry of one user in an access list. */
export function listPerson(resource: ListedResource, person: PersonRoles): Listed {
  const { level } = resource
  const levels = levelsOf(resource, person)
  const parent = levels.length > 1 ? effectiveRole(levels.slice(0, -1)) : undefined
  return {
    access: levels[levels.length - 1]?.direct[0] ?? (isGuest(level, person) ? 'guests' : undefined),
    // Only the restriction that members inherit nothing applies here.
    parentAccess: inheritedRole(parent, 'owners'),
    effective: effectiveRole(levels),
    isMember: person.orgRole !== null,
  }
}

/**
 * Returns the levels of one user's access from the org down: org, and, if the resource lies below it,
 * workspace and document.
 */
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

/** Resources open to everybody are unlisted, so they make nobody a guest of their ancestors. */
function isGuest(level: Level, { kind, isOrgGuest, isWorkspaceGuest }: PersonRoles): boolean {
  if (kind === 'everyone') return false
  return (level === 'org' && isOrgGuest) || (level === 'workspace' && isWorkspaceGuest)
}

/** An access list as one caller sees it. */
export interface Listing<T> {
  readonly users: (T & Listed)[]
  /** True when the caller does not see all users. */
  readonly isPersonal: boolean
  /** True when the caller has no grant of their own and relies on public access. */
  readonly isPublic: boolean
}

/**
 * Returns the users that a caller sees: all of them for an owner, and for an editor of a document who can
 * open it; otherwise, and for the public users, only the caller.
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
 * Members of an org are listed on every resource in it; the public users only where they have a role, even
 * above a resource whose cap blocks inheritance.
 */
function isListed(level: Level, { kind, access, parentAccess }: PersonRoles & Listed): boolean {
  if ((access ?? parentAccess) !== undefined) return true
  return level !== 'org' && kind === 'login'
}
