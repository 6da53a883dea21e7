import type { Org } from '@sheaf/client'

/** Returns the display name of a site. Personal sites share a name, so their owner is added. */
export function siteName({ name, owner }: Org): string {
  return owner ? `${name} – ${owner.name || 'you'}` : name
}
