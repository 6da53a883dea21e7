import type { Role } from '@sheaf/client'
import { queryOptions } from '@tanstack/react-query'
import { sheaf } from '../api/sheaf'
import type { AccessKind, RoleName } from './role-names'

/** The pseudo-user that represents public access: anyone with the link. */
export const EVERYONE = 'everyone@getgrist.com'

/** A user in an access list. */
export interface AccessEntry {
  readonly id: number
  readonly name: string
  readonly email: string
  /** Role granted on the resource itself. */
  readonly access: RoleName | null
  /** Role on the parent resource. */
  readonly parentAccess?: Role | null
}

/** Access list of a resource. */
export interface AccessList {
  /** Highest role inherited from the parent. Absent for sites, which have no parent. */
  readonly maxInheritedRole?: Role | null
  readonly users: readonly AccessEntry[]
  /** True if the caller is not an owner and therefore sees an incomplete list. */
  readonly personal?: true
}

/** A change of an access list. */
export interface AccessDelta {
  readonly users?: Readonly<Record<string, RoleName | null>>
  readonly maxInheritedRole?: Role | null
}

/** The access list of the resource at an API path. */
export const accessQuery = (path: string) =>
  queryOptions({
    queryKey: ['access', path],
    queryFn: ({ signal }) =>
      sheaf().request<AccessList>({ method: 'GET', path: `${path}/access` }, { signal }),
  })

/** Changes an access list. */
export const changeAccess = (path: string, delta: AccessDelta): Promise<unknown> =>
  sheaf().request({ method: 'PATCH', path: `${path}/access`, json: { delta } })

const strength: readonly (Role | null)[] = [null, 'viewers', 'editors', 'owners']

/** Returns the role that a user inherits from the parent. */
export function inheritedRole({ parentAccess }: AccessEntry, list: AccessList): Role | null {
  if (parentAccess === undefined || list.maxInheritedRole === undefined) return null
  const { maxInheritedRole: most } = list
  return strength.indexOf(parentAccess) < strength.indexOf(most) ? parentAccess : most
}

/** Returns an access list with a change applied. */
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

/** Something that can be shared. */
export interface SharedPlace {
  readonly kind: AccessKind
  /** Path in the API. */
  readonly path: string
  readonly name: string
  /** Path in the console. */
  readonly page: string
  /** The site that it is in, or that it is. */
  readonly orgId: number
}

/** The people of a site, for suggestions. Only owners of the site know others than themselves. */
export const peopleQuery = (orgId: number) => accessQuery(`/api/orgs/${orgId}`)

/** Returns the people of a site who have no role of their own in a list yet, in the order of their names. */
export function suggestPeople(people: AccessList | undefined, list: AccessList): AccessEntry[] {
  const known = new Set(list.users.filter(({ access }) => access !== null).map(({ id }) => id))
  return (people?.users ?? [])
    .filter(({ id, email }) => email !== EVERYONE && !known.has(id))
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
}

/** The name of a user, or their email address before the first sign-in. */
export const nameOf = ({ name, email }: AccessEntry): string => name || email
