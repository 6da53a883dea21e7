import { toUSVString } from 'node:util'
import { AppError } from '@sheaf/kit/errors'
import type { RoleName } from '@sheaf/auth/roles'
import { isEmail, normalizeEmail } from './names'
import { strongerRole, type DirectRole, type RoleCap } from './roles'

/** The kinds of resources with access lists. */
export type Level = 'org' | 'workspace' | 'document'

/** Maximum number of users in one change. */
export const MAX_CHANGES = 1_000

/** A role for one user; undefined revokes their role. */
export interface RequestedRole {
  readonly email: string
  readonly role: RoleName | undefined
}

/** A change of access, validated as far as possible without the current roles. */
export interface Delta {
  /** By email in lower case, each once. */
  readonly roles: ReadonlyMap<string, DirectRole>
  /** The new cap on inherited roles; undefined leaves it unchanged. */
  readonly cap: RoleCap | undefined
}

/**
 * Validates a requested change and merges entries of the same user: the strongest role applies. Revoking a
 * role from a text that is not an email address has no effect and is dropped. Throws `invalid`, naming the
 * field.
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

/** Returns the error for a role that cannot be granted. */
export function invalidUserRole(role: string, email: string, allowed?: string): AppError {
  const details = { field: 'delta.users', email: shorten(email) }
  const message = `Invalid user role ${role}`
  if (allowed === undefined) return new AppError('invalid', 'INVALID_ROLE', message, details)
  return new AppError('invalid', 'INVALID_ROLE', `${message}; allowed: ${allowed} or null`, {
    ...details,
    allowed,
  })
}

function requireDirectRole(level: Level, role: RoleName | undefined, email: string): DirectRole {
  if (role !== 'guests' && (role !== 'members' || level === 'org')) return role
  const allowed = `owners, editors, viewers${level === 'org' ? ', members' : ''}`
  throw invalidUserRole(role, email, allowed)
}

function requireCap(cap: RoleName | null): RoleCap {
  if (cap === null || cap === 'owners' || cap === 'editors' || cap === 'viewers') return cap
  const allowed = 'owners, editors, viewers'
  const message = `Invalid maxInheritedRole ${cap}; allowed: ${allowed} or null`
  throw new AppError('invalid', 'INVALID_ROLE', message, {
    field: 'delta.maxInheritedRole',
    allowed,
  })
}

function invalidEmail(email: string): AppError {
  return new AppError('invalid', 'INVALID_EMAIL', 'Invalid email address included', {
    field: 'delta.users',
    email: shorten(email),
  })
}

/** Truncates the email that identifies an entry, so that errors do not grow with the input. */
function shorten(email: string): string {
  return email.length <= 254 ? email : `${toUSVString(email.slice(0, 254))}…`
}
