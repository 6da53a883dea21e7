import type { RoleName } from '@sheaf/auth/roles'

/** A role that can be granted on some level, or none. */
export type DirectRole = Exclude<RoleName, 'guests'> | undefined

/** How far a child lets roles of its parent come down; null lets none. */
export type RoleCap = 'viewers' | 'editors' | 'owners' | null

/** What one level (org, workspace or document) says about one user. */
export interface LevelAccess {
  /** Direct roles of the user and of the public users that count for them. */
  readonly direct: readonly DirectRole[]
  /** How much of the parent's role comes down to this level; without meaning on an org. */
  readonly cap: RoleCap
}

const strength = { members: 1, viewers: 2, editors: 3, owners: 4 } as const

/** The stronger of two roles. */
export function strongerRole(a: DirectRole, b: DirectRole): DirectRole {
  if (a === undefined || b === undefined) return a ?? b
  return strength[a] >= strength[b] ? a : b
}

/** What a role on a parent is worth on a child: members inherit nothing, and nothing passes the child's cap. */
export function inheritedRole(parent: DirectRole, cap: RoleCap): DirectRole {
  if (parent === undefined || parent === 'members' || cap === null) return undefined
  return strength[parent] <= strength[cap] ? parent : cap
}

/**
 * The role that a user has on the last of these levels, which go from the org down. This is the rule that the SQL in
 * `db/grants.ts` follows; a property test holds the two together.
 */
export function effectiveRole(levels: readonly LevelAccess[]): DirectRole {
  return levels.reduce<DirectRole>(
    (parent, { direct, cap }) =>
      direct.reduce<DirectRole>(strongerRole, inheritedRole(parent, cap)),
    undefined,
  )
}
