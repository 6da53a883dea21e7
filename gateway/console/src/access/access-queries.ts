import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import type { Role } from '../api/resources'
import type { RoleName } from './role-names'

/** Who may open what is shared with this address, once they know where it is: anybody. */
export const EVERYONE = 'everyone@getgrist.com'

/** A user in a list of who has access. */
export interface AccessEntry {
  readonly id: number
  readonly name: string
  readonly email: string
  /** Role given here. */
  readonly access: RoleName | null
  /** Role on what it lies in. */
  readonly parentAccess?: Role | null
}

/** Who has access to something. */
export interface AccessList {
  /** How much of the parent's roles comes down; absent for sites, which have no parent. */
  readonly maxInheritedRole?: Role | null
  readonly users: readonly AccessEntry[]
  /** True when the caller is no owner, and sees not everybody. */
  readonly personal?: true
}

/** A change of who has access. */
export interface AccessDelta {
  readonly users?: Readonly<Record<string, RoleName | null>>
  readonly maxInheritedRole?: Role | null
}

/** Who has access to what this path of the API names. */
export const accessQuery = (path: string) =>
  queryOptions({
    queryKey: ['access', path],
    queryFn: ({ signal }) => call<AccessList>('GET', `${path}/access`, { signal }),
  })

/** Changes who has access. */
export const changeAccess = (path: string, delta: AccessDelta): Promise<unknown> =>
  call('PATCH', `${path}/access`, { body: { delta } })

const strength: readonly (Role | null)[] = [null, 'viewers', 'editors', 'owners']

/** The role that comes down to a user from what lies above. */
export function inheritedRole({ parentAccess }: AccessEntry, list: AccessList): Role | null {
  if (parentAccess === undefined || list.maxInheritedRole === undefined) return null
  const { maxInheritedRole: most } = list
  return strength.indexOf(parentAccess) < strength.indexOf(most) ? parentAccess : most
}

/** A list as it will be after a change. */
export function withDelta(list: AccessList, delta: AccessDelta): AccessList {
  const { users = {}, maxInheritedRole = list.maxInheritedRole } = delta
  const entries = list.users.map((entry) =>
    entry.email in users ? { ...entry, access: users[entry.email] ?? null } : entry,
  )
  const everyone = users[EVERYONE] ?? null
  if (everyone !== null && !entries.some(({ email }) => email === EVERYONE))
    entries.push({ id: 0, name: 'Everyone', email: EVERYONE, access: everyone })
  return { ...list, users: entries, maxInheritedRole }
}
