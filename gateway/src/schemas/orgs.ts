import type { Org as WireOrg } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { roleFromWire } from '@sheaf/auth/roles'
import type { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { z } from 'zod'
import { nameText, text } from './text'

/** A role as resources show it. */
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

/** What makes an org. */
export const newOrg = z.strictObject({
  name: nameText.nullish().meta({ description: 'Required' }),
  domain: text.nullish().meta({ description: 'Subdomain of the site' }),
})

/** What changes an org; an empty or absent value stays. */
export const orgChange = z.strictObject({
  name: nameText.nullish(),
  domain: text.nullish(),
})

/** Those who only see a container, because of something inside it or as members, are shown as viewers. */
export function toShownRole(role: Role): z.output<typeof shownRole> | null {
  const name = roleFromWire(role)
  if (name === undefined) return null
  return name === 'owners' || name === 'editors' ? name : 'viewers'
}

/** An org as REST shows it. */
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
