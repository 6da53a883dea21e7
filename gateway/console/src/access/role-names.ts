/** Roles as people read them. */
export const roleNames = {
  owners: 'Owner',
  editors: 'Editor',
  viewers: 'Viewer',
  members: 'Member',
  guests: 'Guest',
} as const

/** A role that can be given, or that comes from something inside. */
export type RoleName = keyof typeof roleNames

/** What access is to. */
export type AccessKind = 'org' | 'workspace' | 'document'

/** The roles that can be given on something; members see a site without reaching into it. */
export function grantableRoles(kind: AccessKind): readonly RoleName[] {
  const roles = ['owners', 'editors', 'viewers'] as const
  return kind === 'org' ? [...roles, 'members'] : roles
}
