import type { Org as WireOrg } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { roleFromWire } from '@sheaf/auth/roles'
import type { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { z } from 'zod'
import { nameText, text } from './text'

/** A role as resources display it. */
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
      .meta({ description: 'Owner of a personal site; null for a team' }),
    access: shownRole.nullable().meta({ description: "The caller's role" }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Org' })

/** Fields of an org to create. */
export const newOrg = z.strictObject({
  name: nameText.nullish().meta({ description: 'Required' }),
  domain: text.nullish().meta({ description: 'Subdomain of the site' }),
})

/** Fields of an org to change; empty or absent ones stay unchanged. */
export const orgChange = z.strictObject({
  name: nameText.nullish(),
  domain: text.nullish(),
})

/** Converts a role; guests and members of a container are displayed as viewers. */
export function toShownRole(role: Role): z.output<typeof shownRole> | null {
  const name = roleFromWire(role)
  if (name === undefined) return null
  return name === 'owners' || name === 'editors' ? name : 'viewers'
}

/** Converts an org to JSON. */
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
