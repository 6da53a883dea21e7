import { AppError } from '@sheaf/kit/errors'

const reservedPrefixes = ['docs-', 'o-', 'doc-worker-', 'v1-']

/** Misleading names, and names of a site's own hosts. */
const reserved = new Set(
  (
    'aws gristlogin issues metrics phab releases test vpn www w ww wwww wwwww docs api static ftp imap pop smtp mail ' +
    'git blog wiki support kb help forum admin store dev beta community try wpx telemetry google apple microsoft ms ' +
    'facebook fb twitter youtube yt current staging prod login login-dev login-s new'
  ).split(' '),
)

/** Spellings that resemble `login`. */
const LOOKS_LIKE_LOGIN = /^[l1i][o0][g9q][i1lj]n$/

/** Returns why a text cannot be the domain of a team site; undefined when it can. */
export function domainFault(domain: string): string | undefined {
  if (!/^[a-z0-9][-a-z0-9]*$/.test(domain))
    return 'Domain must include lower-case letters, numbers, and dashes only.'
  const prefix = reservedPrefixes.find((candidate) => domain.startsWith(candidate))
  if (prefix !== undefined) return `Domain cannot use reserved prefix "${prefix}".`
  if (domain.length >= 64) return 'Domain must contain less than 64 characters.'
  if (domain.length <= 2) return 'Domain must contain more than 2 characters.'
  if (reserved.has(domain) || LOOKS_LIKE_LOGIN.test(domain)) return 'Invalid domain value.'
  if (/^\d+$/.test(domain) || looksLikeUuid(domain)) return 'Domain must not look like an id.'
  return undefined
}

/** True for a UUID, with or without its dashes. */
export function looksLikeUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)
}

/** Returns the domain. Throws `invalid` when it is not permitted. */
export function requireDomain(domain: string): string {
  const fault = domainFault(domain)
  if (fault === undefined) return domain
  throw new AppError('invalid', 'INVALID_DOMAIN', `Domain is not permitted: ${fault}`, {
    field: 'domain',
  })
}

/** Returns the domain by which an org is shown and addressed: a team's own, or one derived from an id. */
export function shownDomain(org: {
  id: number
  domain: string | null
  ownerId: number | null
}): string {
  if (org.ownerId !== null) return `docs-${org.ownerId}`
  return org.domain ?? `o-${org.id}`
}
