import type { Org as WireOrg } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { roleFromWire } from '@sheaf/auth/roles'
import type { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { z } from 'zod'
import { nameText, text } from './text'

/** The caller's role, as shown on a resource. */
export const shownRole = z.enum(['owners', 'editors', 'viewers'])
const time = z.string().meta({ format: 'date-time' })

/** A site. */
export const org = z
  .object({
    id: z.int(),
    name: z.string(),
    domain: z.string().meta({ description: 'Subdomain of the site' }),
    owner: z
      .object({ id: z.int(), name: z.string(), picture: z.string().nullable() })
      .nullable()
      .meta({ description: 'Owner of a personal site; null for a team site' }),
    access: shownRole.nullable().meta({ description: "The caller's role" }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Org' })

/** Body of creating an org. */
export const newOrg = z.strictObject({
  name: nameText.nullish().meta({ description: 'Name of the site. Required.' }),
  domain: text.nullish().meta({ description: 'Subdomain of the site' }),
})

/** Body of updating an org; empty and absent fields keep their value. */
export const orgChange = z.strictObject({
  name: nameText.nullish(),
  domain: text.nullish(),
})

/** Converts a role; members, and guests who only have access to something in a container, are shown as viewers. */
export function toShownRole(role: Role): z.output<typeof shownRole> | null {
  const name = roleFromWire(role)
  if (name === undefined) return null
  return name === 'owners' || name === 'editors' ? name : 'viewers'
}

/** Converts an org to its JSON. */
export function toOrg({
  id,
  name,
  domain,
  owner,
  access,
  createdAt,
  updatedAt,
}: WireOrg): z.output<typeof org> {
  return {
    id,
    name,
    domain,
    owner: owner ? { id: owner.id, name: owner.name, picture: owner.picture ?? null } : null,
    access: toShownRole(access),
    createdAt,
    updatedAt,
  }
}
