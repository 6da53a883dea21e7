import { keyScopeError } from '@sheaf/auth/key-scope'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { OrgPreferences, UpdateOrgRequest } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { namesPlaces } from '../access/key-scope'
import type { PreferencesRow } from '../db/preferences'
import { requireSignedIn } from './errors'
import { readJsonObject } from './json-object'

/** Maximum size of each object, in bytes of JSON: one of them is part of every description of a site. */
const MAX_BYTES = 16 * 1024

/** Preferences of a request as JSON text; undefined where there are none. */
export type GivenPreferences = { readonly [key in keyof PreferencesRow]: string | undefined }

/** Converts preferences to their message. */
export function preferencesToWire({ org, user, userOrg }: PreferencesRow): OrgPreferences {
  const toBytes = (json: string | null) => (json === null ? undefined : Buffer.from(json))
  return { orgJson: toBytes(org), userJson: toBytes(user), userOrgJson: toBytes(userOrg) }
}

/** Reads the preferences of a request. Throws `invalid` for anything but JSON objects within the limit. */
export function readPreferences(given: OrgPreferences | undefined): GivenPreferences {
  return {
    org: readObject(given?.orgJson, 'org_json'),
    user: readObject(given?.userJson, 'user_json'),
    userOrg: readObject(given?.userOrgJson, 'user_org_json'),
  }
}

function readObject(json: Uint8Array | undefined, field: string): string | undefined {
  if (json === undefined) return undefined
  const value = readJsonObject(json, { field: `preferences.${field}`, maxBytes: MAX_BYTES })
  // Written anew, which escapes all that PostgreSQL cannot store.
  return JSON.stringify(value)
}

/**
 * Throws `forbidden` when the caller's own preferences are among these, and the caller is not signed in or
 * uses a key that does not reach as far.
 */
export function requireOwnPreferences(call: ServerCall, { user, userOrg }: GivenPreferences): void {
  if (user === undefined && userOrg === undefined) return
  requireSignedIn(call)
  const { scope } = call.caller
  if (user !== undefined && scope && namesPlaces(scope)) throw keyScopeError()
}

/** True when a request changes nothing but preferences of the caller, which any role permits. */
export function changesOnlyOwn(
  { name, domain }: UpdateOrgRequest,
  { org, user, userOrg }: GivenPreferences,
): boolean {
  const isOwn = user !== undefined || userOrg !== undefined
  return isOwn && name === undefined && domain === undefined && org === undefined
}
