import type { Org } from '../api/resources'

/** What a site is called: personal ones all have the same name. */
export function siteName({ name, owner }: Org): string {
  return owner ? `${name} – ${owner.name || 'yours'}` : name
}
