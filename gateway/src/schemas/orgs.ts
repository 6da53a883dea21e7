import type { Org as WireOrg, OrgPreferences } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { roleFromWire } from '@sheaf/auth/roles'
import type { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { isTooDeep } from '@sheaf/kit/json-depth'
import { z } from 'zod'
import { nameText, text } from './text'

/** The caller's role, as shown on a resource. */
export const shownRole = z.enum(['owners', 'editors', 'viewers'])
const time = z.string().meta({ format: 'date-time' })

/** A site. */
export const org = z
  .object({
    id: z.int().describe('Integer id of the site'),
    name: z.string().describe('Name of the site'),
    domain: z.string().meta({ description: 'Subdomain of the site' }),
    owner: z
      .object({
        id: z.int().describe('Integer id of the user'),
        name: z.string().describe('Name of the user'),
        picture: z.string().nullable().describe('URL of a picture; null for none'),
      })
      .nullable()
      .meta({ description: 'Owner of a personal site; null for a team site' }),
    access: shownRole.nullable().meta({ description: "The caller's role" }),
    createdAt: time.describe('Time of creation'),
    updatedAt: time.describe('Time of the last change'),
  })
  .meta({ id: 'Org', description: 'Site' })

const preferences = z.record(z.string(), z.unknown())
const shownPreferences = {
  orgPrefs: preferences.optional().meta({ description: 'Preferences of the site' }),
  userPrefs: preferences.optional().meta({ description: "The caller's preferences on all sites" }),
  userOrgPrefs: preferences
    .optional()
    .meta({ description: "The caller's preferences on this site" }),
}

/** A site with preferences: JSON objects of clients, as far as any were stored. */
export const describedOrg = org
  .extend(shownPreferences)
  .meta({ id: 'DescribedOrg', description: 'Site with preferences of clients' })

/** Maximum size of one object of preferences, in bytes of JSON. */
const MAX_PREFERENCES_BYTES = 16 * 1024

const newPreferences = preferences
  .refine((value) => !isTooDeep(value), { message: 'is nested too deeply', abort: true })
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_PREFERENCES_BYTES,
    `must not exceed ${MAX_PREFERENCES_BYTES} bytes of JSON`,
  )
  .nullish()

/** Body of creating an org. */
export const newOrg = z.strictObject({
  name: nameText.nullish().meta({ description: 'Name of the site. Required.' }),
  domain: text.nullish().meta({ description: 'Subdomain of the site' }),
})

/** Body of updating an org; empty and absent fields keep their value. */
export const orgChange = z.strictObject({
  name: nameText.nullish().describe('New name of the site'),
  domain: text.nullish().describe('New subdomain of the site'),
  orgPrefs: newPreferences.meta({ description: 'Preferences of the site, at most 16 KiB of JSON' }),
  userPrefs: newPreferences.meta({ description: "The caller's preferences on all sites" }),
  userOrgPrefs: newPreferences.meta({ description: "The caller's preferences on this site" }),
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

/** Converts preferences to the fields of a described org; those never stored are absent. */
export function toPreferences({
  orgJson,
  userJson,
  userOrgJson,
}: OrgPreferences): Pick<z.output<typeof describedOrg>, keyof typeof shownPreferences> {
  return {
    orgPrefs: fromJson(orgJson),
    userPrefs: fromJson(userJson),
    userOrgPrefs: fromJson(userOrgJson),
  }
}

/** Converts the preferences of a change to their message. */
export function fromPreferences({
  orgPrefs,
  userPrefs,
  userOrgPrefs,
}: z.output<typeof orgChange>): OrgPreferences {
  return {
    orgJson: toJson(orgPrefs),
    userJson: toJson(userPrefs),
    userOrgJson: toJson(userOrgPrefs),
  }
}

function fromJson(json: Uint8Array | undefined): Record<string, unknown> | undefined {
  if (json === undefined) return undefined
  return JSON.parse(Buffer.from(json).toString()) as Record<string, unknown>
}

function toJson(value: object | null | undefined): Buffer | undefined {
  return value === null || value === undefined ? undefined : Buffer.from(JSON.stringify(value))
}
