import { Role } from '@sheaf/protos/sheaf/directory/v1/access'

/** Roles by the names that REST clients use. */
export type RoleName = 'owners' | 'editors' | 'viewers' | 'members' | 'guests'

/** Roles that a call can require; each includes those after it. */
export type NeededRole = 'owners' | 'editors' | 'viewers'

const rank: Readonly<Record<RoleName, number>> = {
  owners: 3,
  editors: 2,
  viewers: 1,
  members: 0,
  guests: 0,
}

/** True when a role includes another one; members and guests alone grant no access. */
export function roleAtLeast(have: RoleName | undefined, need: NeededRole): boolean {
  return have !== undefined && rank[have] >= rank[need]
}

const fromWire: Readonly<Record<Role, RoleName | undefined>> = {
  [Role.UNSPECIFIED]: undefined,
  [Role.OWNERS]: 'owners',
  [Role.EDITORS]: 'editors',
  [Role.VIEWERS]: 'viewers',
  [Role.MEMBERS]: 'members',
  [Role.GUESTS]: 'guests',
}

const toWire: Readonly<Record<RoleName, Role>> = {
  owners: Role.OWNERS,
  editors: Role.EDITORS,
  viewers: Role.VIEWERS,
  members: Role.MEMBERS,
  guests: Role.GUESTS,
}

/** The name of a role on the wire; undefined for none. */
export function roleFromWire(role: Role): RoleName | undefined {
  return fromWire[role]
}

/** A role as it goes over the wire. */
export function roleToWire(role: RoleName | undefined): Role {
  return role === undefined ? Role.UNSPECIFIED : toWire[role]
}

/** True when the text names a role. */
export function isRoleName(text: unknown): text is RoleName {
  return typeof text === 'string' && Object.hasOwn(toWire, text)
}
