import { toUSVString } from 'node:util'
import { AppError } from '@sheaf/kit/errors'
import type { RoleName } from '@sheaf/auth/roles'
import { isEmail, normalizeEmail } from './names'
import { strongerRole, type DirectRole, type RoleCap } from './roles'

/** What access can be given to. */
export type Level = 'org' | 'workspace' | 'document'

/** Most users that one change can name. */
export const MAX_CHANGES = 1_000

/** A role for one user; undefined takes the one they have away. */
export interface RequestedRole {
  readonly email: string
  readonly role: RoleName | undefined
}

/** A change of access, checked as far as that can be done without a look at who has which role. */
export interface Delta {
  /** By email in lower case, each once. */
  readonly roles: ReadonlyMap<string, DirectRole>
  /** How much of the parent's roles is to come down; undefined when that stays. */
  readonly cap: RoleCap | undefined
}

/**
 * Checks a requested change and merges what names one user several times: the strongest role counts. What takes a role
 * away from a text that is no email address changes nothing and is left out. Throws `invalid`, naming the field.
 */
export function requireDelta(
  level: Level,
  requested: readonly RequestedRole[],
  cap: RoleName | null | undefined,
): Delta {
  if (level === 'org' && cap !== undefined)
    throw new AppError('invalid', 'INVALID_DELTA', 'Bad request: invalid permission delta', {
      field: 'delta.maxInheritedRole',
    })
  if (requested.length > MAX_CHANGES)
    throw new AppError(
      'invalid',
      'DELTA_TOO_LARGE',
      `delta.users must not name more than ${MAX_CHANGES} users`,
      { field: 'delta.users' },
    )
  const roles = new Map<string, DirectRole>()
  for (const { email: given, role } of requested) {
    const email = normalizeEmail(given)
    const wanted = requireDirectRole(level, role, given)
    if (isEmail(email)) roles.set(email, strongerRole(roles.get(email), wanted))
    else if (wanted !== undefined) throw invalidEmail(given)
  }
  return { roles, cap: cap === undefined ? undefined : requireCap(cap) }
}

/** The error for a role that cannot be given. */
export function invalidUserRole(role: string, email: string): AppError {
  const details = { field: 'delta.users', email: shorten(email) }
  return new AppError('invalid', 'INVALID_ROLE', `Invalid user role ${role}`, details)
}

function requireDirectRole(level: Level, role: RoleName | undefined, email: string): DirectRole {
  if (role === 'guests' || (role === 'members' && level !== 'org'))
    throw invalidUserRole(role, email)
  return role
}

function requireCap(cap: RoleName | null): RoleCap {
  if (cap === null || cap === 'owners' || cap === 'editors' || cap === 'viewers') return cap
  throw new AppError('invalid', 'INVALID_ROLE', `Invalid maxInheritedRole ${cap}`, {
    field: 'delta.maxInheritedRole',
  })
}

function invalidEmail(email: string): AppError {
  return new AppError('invalid', 'INVALID_EMAIL', 'Invalid email address included', {
    field: 'delta.users',
    email: shorten(email),
  })
}

/** An error tells the sender which entry it means without growing with what was sent. */
function shorten(email: string): string {
  return email.length <= 254 ? email : `${toUSVString(email.slice(0, 254))}…`
}
