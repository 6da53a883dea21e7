import type { RoleName } from '@sheaf/auth/roles'

/** A role that can be granted directly, or none. */
export type DirectRole = Exclude<RoleName, 'guests'> | undefined

/** The strongest role that a child inherits from its parent; null blocks inheritance. */
export type RoleCap = 'viewers' | 'editors' | 'owners' | null

/** One user's access on one level (org, workspace or document). */
export interface LevelAccess {
  /** Direct roles of the user and of the public users that apply to them. */
  readonly direct: readonly DirectRole[]
  /** Cap on roles inherited from the parent; unused for an org. */
  readonly cap: RoleCap
}

const strength = { members: 1, viewers: 2, editors: 3, owners: 4 } as const

/** The stronger of two roles. */
export function strongerRole(a: DirectRole, b: DirectRole): DirectRole {
  if (a === undefined || b === undefined) return a ?? b
  return strength[a] >= strength[b] ? a : b
}

/** Returns the role that a child inherits: members inherit nothing, and the child's cap limits the rest. */
export function inheritedRole(parent: DirectRole, cap: RoleCap): DirectRole {
  if (parent === undefined || parent === 'members' || cap === null) return undefined
  return strength[parent] <= strength[cap] ? parent : cap
}

/**
 * Returns a user's role on the last of these levels, which are ordered from the org down. The SQL in
 * `db/grants.ts` implements the same rule; a property test compares the two.
 */
export function effectiveRole(levels: readonly LevelAccess[]): DirectRole {
  return levels.reduce<DirectRole>(
    (parent, { direct, cap }) =>
      direct.reduce<DirectRole>(strongerRole, inheritedRole(parent, cap)),
    undefined,
  )
}
