import { AppError } from '@sheaf/kit/errors'
import { readShortUuid } from './short-ids'

/** A document as a path names it. */
export type DocumentRef =
  | { readonly kind: 'uuid'; readonly docId: string }
  | { readonly kind: 'number'; readonly id: number }
  | { readonly kind: 'url'; readonly urlId: string }

/** A site as an address names it; `personal` is the caller's own. */
export type SiteRef =
  | { readonly kind: 'none' }
  | { readonly kind: 'personal' }
  | { readonly kind: 'owner'; readonly ownerId: number }
  | { readonly kind: 'number'; readonly id: number }
  | { readonly kind: 'domain'; readonly domain: string }

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const GREATEST_ID = 2 ** 31 - 1

/** Parses a decimal id; undefined for other texts and for numbers out of range. */
function readId(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0
  return id >= 1 && id <= GREATEST_ID ? id : undefined
}

/** True for a UUID with its dashes, in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/**
 * Parses the document of a path; undefined for a text that cannot name one. A UUID may also be given as 22
 * characters of base58.
 */
export function readDocumentRef(text: string): DocumentRef | undefined {
  const docId = isUuid(text) ? text.toLowerCase() : readShortUuid(text)
  if (docId !== undefined) return { kind: 'uuid', docId }
  if (/^\d+$/.test(text)) {
    const id = readId(text)
    return id === undefined ? undefined : { kind: 'number', id }
  }
  return /^[a-z0-9-]{1,64}$/i.test(text) ? { kind: 'url', urlId: text } : undefined
}

/** Parses the domain of a site; undefined for a text that cannot name one. */
export function readSite(text: string): SiteRef | undefined {
  const domain = text.toLowerCase()
  if (domain === '') return { kind: 'none' }
  if (domain === 'docs') return { kind: 'personal' }
  const generated = /^(docs|o)-(\d+)$/.exec(domain)
  if (generated) {
    const id = readId(generated[2] ?? '')
    if (id === undefined) return undefined
    return generated[1] === 'docs' ? { kind: 'owner', ownerId: id } : { kind: 'number', id }
  }
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(domain) ? { kind: 'domain', domain } : undefined
}

/**
 * Parses the org of a path: a site, `current` for the addressed one, or an integer id; undefined when it
 * cannot name one.
 */
export function readOrgRef(org: string, site: string): SiteRef | undefined {
  if (org !== 'current') {
    const id = readId(org)
    if (id !== undefined) return { kind: 'number', id }
    return org === '' ? undefined : readSite(org)
  }
  const addressed = readSite(site)
  return addressed?.kind === 'none' ? { kind: 'personal' } : addressed
}

/** A document that an address may name. */
export interface DocumentCandidate {
  readonly role: unknown
  /** True when the document or its workspace is in the trash. */
  readonly isRemoved: boolean
  /** Owner of the personal org that contains it; null in a team. */
  readonly ownerId: number | null
}

/**
 * Chooses among documents with the same url id in several sites when the address names no site: visible
 * documents precede others (otherwise anybody could make an address useless), those of the caller's personal
 * site precede the rest, and documents in the trash come last. Returns undefined without candidates; throws
 * `invalid` when several remain.
 */
export function chooseDocument<T extends DocumentCandidate>(
  candidates: readonly T[],
  userId: number,
): T | undefined {
  if (candidates.length <= 1) return candidates[0]
  const seen = candidates.filter(({ role }) => role !== null)
  const visible = seen.some(({ isRemoved }) => !isRemoved)
    ? seen.filter(({ isRemoved }) => !isRemoved)
    : seen
  const own = visible.find(({ ownerId }) => ownerId === userId)
  if (own === undefined && visible.length > 1)
    throw new AppError(
      'invalid',
      'AMBIGUOUS_DOCUMENT',
      'ambiguous document: add the site to the URL, or use the document id',
      { field: 'docId' },
    )
  return own ?? visible[0] ?? candidates[0]
}
