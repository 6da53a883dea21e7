import { toUSVString } from 'node:util'
import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { isRoleName, roleFromWire, roleToWire, type RoleName } from '@sheaf/auth/roles'
import {
  Role,
  type AccessEntry,
  type ListAccessResponse,
  type UpdateAccessRequest,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { z } from 'zod'

/** Users in one change; directory has the same limit. */
const MAX_USERS = 1_000
/** Longest email address. */
const MAX_EMAIL = 254

const inheritable = z.enum(['owners', 'editors', 'viewers'])
const grantable = z.enum(['owners', 'editors', 'viewers', 'members', 'guests'])

const entryFields = {
  id: z.int().describe('Integer id of the user'),
  name: z.string().meta({ description: 'Empty for a user who has not signed in yet' }),
  email: z.string().describe('Email address of the user'),
  picture: z.string().nullable().describe('URL of a picture; null for none'),
  access: grantable.nullable().meta({
    description: 'Role granted on this resource; `guests` if only something in it is shared',
  }),
  isMember: z.boolean().meta({ description: 'Whether the user has a role on the site itself' }),
  anonymous: z.literal(true).optional().meta({ description: 'Present for the anonymous user' }),
}

const listingFields = {
  personal: z
    .literal(true)
    .optional()
    .meta({ description: 'Present if the caller is not an owner and the list is incomplete' }),
  public: z.boolean().optional().meta({
    description:
      'Present with `personal`: whether the caller only has access through public sharing',
  }),
}

/** Users with access to an org. */
export const orgAccess = z
  .object({ users: z.array(z.object(entryFields)).describe('Users with access'), ...listingFields })
  .meta({ id: 'OrgAccess', description: 'Users with access to a site' })

/** Users with access to a workspace or a document. */
export const resourceAccess = z
  .object({
    maxInheritedRole: inheritable
      .nullable()
      .meta({ description: 'Highest role inherited from the parent; null for none' }),
    users: z
      .array(
        z.object({
          ...entryFields,
          parentAccess: inheritable
            .nullable()
            .meta({ description: 'Role on the parent, not limited by `maxInheritedRole`' }),
        }),
      )
      .describe('Users with access'),
    ...listingFields,
  })
  .meta({ id: 'ResourceAccess', description: 'Users with access to a workspace or document' })

const usersDelta = {
  type: 'object' as const,
  description: `Roles by email address, at most ${MAX_USERS}; null removes the role`,
  additionalProperties: { type: ['string', 'null'] as ('string' | 'null')[] },
  example: { 'bob@example.com': 'editors', 'carol@example.com': null },
}

/** A change of access to an org. */
export const orgAccessChange = z
  .object({
    delta: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        description: 'Roles to change; what is absent stays',
        required: ['users'],
        properties: { users: usersDelta },
      }),
  })
  .meta({ required: ['delta'] })

/** A change of access to a workspace or a document. */
export const resourceAccessChange = z
  .object({
    delta: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        description: 'Roles to change; what is absent stays',
        properties: {
          users: usersDelta,
          maxInheritedRole: {
            type: ['string', 'null'],
            enum: ['owners', 'editors', 'viewers', null],
            description: 'Highest role to inherit from the parent; null for none',
          },
        },
      }),
  })
  .meta({ required: ['delta'] })

type Delta = Pick<UpdateAccessRequest, 'changes' | 'maxInheritedRole'>

/**
 * Reads a change of access for directory. It is validated here instead of by the schema, because existing clients rely
 * on the messages. Throws AppError `invalid`, naming the field.
 */
export function readDelta(delta: unknown): Delta {
  if (delta === undefined || delta === null)
    throw invalidDelta('Bad request: missing permission delta', 'delta')
  const { users, maxInheritedRole } = isObject(delta) ? delta : {}
  if ((users ?? undefined) === undefined && maxInheritedRole === undefined)
    throw invalidDelta('Bad request: invalid permission delta', 'delta')
  if ((users ?? undefined) !== undefined && !isObject(users))
    throw invalidDelta('Bad request: invalid permission delta', 'delta.users')
  const named = Object.entries(isObject(users) ? users : {})
  if (named.length > MAX_USERS)
    throw new AppError(
      'invalid',
      'DELTA_TOO_LARGE',
      `delta.users must not name more than ${MAX_USERS} users`,
      { field: 'delta.users' },
    )
  return {
    changes: named.flatMap(([email, role]) => readChange(email, role)),
    maxInheritedRole: readCap(maxInheritedRole),
  }
}

/** Reads a change of access to an org, which has users only. */
export function readOrgDelta(delta: unknown): Delta {
  const read = readDelta(delta)
  if (!isObject(delta) || (delta.users ?? undefined) === undefined)
    throw invalidDelta('Bad request: invalid permission delta', 'delta.users')
  return read
}

const invalidDelta = (message: string, field: string) =>
  new AppError('invalid', 'INVALID_DELTA', message, { field })

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readChange(email: string, role: unknown): Delta['changes'] {
  if (role !== null && !isRoleName(role)) throw unknownRole('user role', role, 'delta.users')
  const canBeSent = email.length <= MAX_EMAIL && toUSVString(email) === email
  if (canBeSent) return [{ email, role: roleToWire(role ?? undefined) }]
  // No user can have this address, so there is no role to remove.
  if (role === null) return []
  throw new AppError('invalid', 'INVALID_EMAIL', 'Invalid email address included', {
    field: 'delta.users',
    email: `${toUSVString(email.slice(0, MAX_EMAIL))}…`,
  })
}

function readCap(role: unknown): Role | undefined {
  if (role === undefined) return undefined
  if (role === null) return Role.UNSPECIFIED
  if (!isRoleName(role)) throw unknownRole('maxInheritedRole', role, 'delta.maxInheritedRole')
  return roleToWire(role)
}

const USER_ROLES = 'owners, editors, viewers, members'
const INHERITED_ROLES = 'owners, editors, viewers'

function unknownRole(
  noun: 'user role' | 'maxInheritedRole',
  role: unknown,
  field: string,
): AppError {
  // Converting a deeply nested value to text could overflow the stack.
  const isPlain = typeof role === 'string' || typeof role === 'number' || typeof role === 'boolean'
  const text = isPlain ? String(role) : 'object'
  const shown = shorten(text)
  const allowed = noun === 'user role' ? USER_ROLES : INHERITED_ROLES
  const message = `Invalid ${noun} ${shown}; allowed: ${allowed} or null`
  return new AppError('invalid', 'INVALID_ROLE', message, { field, allowed })
}

const toRole = (role: Role): RoleName | null => roleFromWire(role) ?? null

/** Converts an inheritable role; null for others. */
function toInheritable(role: Role): z.output<typeof inheritable> | null {
  const name = toRole(role)
  return name === 'members' || name === 'guests' ? null : name
}

function toEntry(entry: AccessEntry): z.output<typeof orgAccess>['users'][number] {
  const { userId, name, email, picture, access, isMember, anonymous } = entry
  return {
    id: userId,
    name,
    email,
    picture: picture ?? null,
    access: toRole(access),
    isMember,
    ...(anonymous && { anonymous }),
  }
}

const toRestriction = ({ isPersonal, isPublic }: ListAccessResponse) =>
  isPersonal ? { personal: true as const, public: isPublic } : {}

/** Converts the users of an org to their JSON. */
export function toOrgAccess(answer: ListAccessResponse): z.output<typeof orgAccess> {
  return { ...toRestriction(answer), users: answer.users.map(toEntry) }
}

/** Converts the users of a workspace or a document to their JSON. */
export function toResourceAccess(answer: ListAccessResponse): z.output<typeof resourceAccess> {
  return {
    ...toRestriction(answer),
    maxInheritedRole: toInheritable(answer.maxInheritedRole),
    users: answer.users.map((entry) => ({
      ...toEntry(entry),
      parentAccess: toInheritable(entry.parentAccess),
    })),
  }
}
