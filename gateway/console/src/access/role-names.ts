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

/** What each role allows, for the one who grants it. */
export const roleHints: Readonly<Record<RoleName, string>> = {
  owners: 'Owners can view, edit, share and delete.',
  editors: 'Editors can view and edit.',
  viewers: 'Viewers can view.',
  members: 'Members can view what is shared with them.',
  guests: 'Guests can view what is shared with them.',
}

const strength: readonly RoleName[] = ['guests', 'members', 'viewers', 'editors', 'owners']

/** Returns true for a role that allows less than another one. */
export const isLowerRole = (role: RoleName, than: RoleName): boolean =>
  strength.indexOf(role) < strength.indexOf(than)

/** Kind of resource that access is granted to. */
export type AccessKind = 'org' | 'workspace' | 'document'

/** Names what a workspace or document inherits roles from. */
export const parentKind = (kind: AccessKind): string => (kind === 'document' ? 'workspace' : 'site')

/** Returns the roles that can be granted. Members see a site, but none of its contents. */
export function grantableRoles(kind: AccessKind): readonly RoleName[] {
  const roles = ['owners', 'editors', 'viewers'] as const
  return kind === 'org' ? [...roles, 'members'] : roles
}
