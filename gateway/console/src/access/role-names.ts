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
