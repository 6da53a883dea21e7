/** Display names of roles. */
export const roleNames = {
  owners: 'Owner',
  editors: 'Editor',
  viewers: 'Viewer',
  members: 'Member',
  guests: 'Guest',
} as const

/** A role. `guests` is implied by a role on something inside. */
export type RoleName = keyof typeof roleNames

/** Kind of resource that access is granted to. */
export type AccessKind = 'org' | 'workspace' | 'document'

/** Returns the roles that can be granted. Members see a site, but none of its contents. */
export function grantableRoles(kind: AccessKind): readonly RoleName[] {
  const roles = ['owners', 'editors', 'viewers'] as const
  return kind === 'org' ? [...roles, 'members'] : roles
}
