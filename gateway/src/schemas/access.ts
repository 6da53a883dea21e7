import { toUSVString } from 'node:util'
import { AppError } from '@sheaf/kit/errors'
import { isRoleName, roleFromWire, roleToWire, type RoleName } from '@sheaf/auth/roles'
import {
  Role,
  type AccessEntry,
  type ListAccessResponse,
  type UpdateAccessRequest,
} from '@sheaf/protos/sheaf/directory/v1/access'
import { z } from 'zod'

/** Directory accepts no more in one change; larger ones need not be sent on. */
const MAX_USERS = 1_000
/** Maximum length of an email address. */
const MAX_EMAIL = 254
/** Length up to which an error repeats an invalid role. */
const SHOWN_LENGTH = 40

const inheritable = z.enum(['owners', 'editors', 'viewers'])
const grantable = z.enum(['owners', 'editors', 'viewers', 'members', 'guests'])

const entryFields = {
  id: z.int(),
  name: z.string().meta({ description: 'Empty for somebody who has not signed in yet' }),
  email: z.string(),
  picture: z.string().nullable(),
  access: grantable.nullable().meta({
    description: 'Role given here; `guests` where only something inside is shared',
  }),
  isMember: z.boolean().meta({ description: 'Whether the user has a role on the site itself' }),
  anonymous: z.literal(true).optional().meta({ description: 'The anonymous user' }),
}

const listingFields = {
  personal: z
    .literal(true)
    .optional()
    .meta({ description: 'The caller is no owner and does not see everybody' }),
  public: z
    .boolean()
    .optional()
    .meta({ description: 'Beside `personal`: the caller comes in as everybody may' }),
}

/** The access list of an org. */
export const orgAccess = z
  .object({ users: z.array(z.object(entryFields)), ...listingFields })
  .meta({ id: 'OrgAccess' })

/** The access list of a workspace or a document. */
export const resourceAccess = z
  .object({
    maxInheritedRole: inheritable
      .nullable()
      .meta({ description: "How much of the parent's roles comes down; null for none" }),
    users: z.array(
      z.object({
        ...entryFields,
        parentAccess: inheritable
          .nullable()
          .meta({ description: 'Role on the parent, before `maxInheritedRole` cuts it' }),
      }),
    ),
    ...listingFields,
  })
  .meta({ id: 'ResourceAccess' })

const usersDelta = {
  type: 'object' as const,
  description: `Roles by email, at most ${MAX_USERS}; null takes a role away`,
  additionalProperties: { type: ['string', 'null'] as ('string' | 'null')[] },
  example: { 'bob@example.com': 'editors', 'carol@example.com': null },
}

/** A change of the access list of an org. */
export const orgAccessChange = z
  .object({
    delta: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        required: ['users'],
        properties: { users: usersDelta },
      }),
  })
  .meta({ required: ['delta'] })

/** A change of the access list of a workspace or a document. */
export const resourceAccessChange = z
  .object({
    delta: z
      .unknown()
      .optional()
      .meta({
        type: 'object',
        properties: {
          users: usersDelta,
          maxInheritedRole: {
            type: ['string', 'null'],
            enum: ['owners', 'editors', 'viewers', null],
            description: "How much of the parent's roles is to come down; null for none",
          },
        },
      }),
  })
  .meta({ required: ['delta'] })

type Delta = Pick<UpdateAccessRequest, 'changes' | 'maxInheritedRole'>

/**
 * Converts a change to the form of directory. Clients know the messages of its errors, so the schema does not
 * validate it. Throws AppError `invalid`, naming the field.
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

/** The same for an org, whose delta has users only. */
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
  // No such user can exist, so there is no role to remove.
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

function unknownRole(noun: string, role: unknown, field: string): AppError {
  // A deeply nested value could overflow the stack when printed.
  const isPlain = typeof role === 'string' || typeof role === 'number' || typeof role === 'boolean'
  const text = isPlain ? String(role) : 'object'
  const shown = toUSVString(text.slice(0, SHOWN_LENGTH))
  return new AppError('invalid', 'INVALID_ROLE', `Invalid ${noun} ${shown}`, { field })
}

const toRole = (role: Role): RoleName | null => roleFromWire(role) ?? null

/** Converts an inherited role; roles that cannot be inherited are null. */
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

/** Converts the access list of an org to JSON. */
export function toOrgAccess(answer: ListAccessResponse): z.output<typeof orgAccess> {
  return { ...toRestriction(answer), users: answer.users.map(toEntry) }
}

/** Converts the access list of a workspace or a document to JSON. */
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
