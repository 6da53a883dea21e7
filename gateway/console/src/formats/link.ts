/** A link that a text contains. */
export interface Link {
  readonly text: string
  readonly href: string
}

const SCHEMES = new Set(['http:', 'https:', 'mailto:'])

/** Returns an address that may be opened: one of `http`, `https` or `mailto`; undefined for any other. */
export function safeHref(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, href } = new URL(address)
  return SCHEMES.has(protocol) ? href : undefined
}

/**
 * Reads a text of a column of links: an address, or a text and an address after it. An address without a scheme is one of
 * `https`. Undefined if there is none that may be opened.
 */
export function readLink(value: string): Link | undefined {
  const trimmed = value.trim()
  const address = trimmed.split(/\s+/).at(-1) ?? ''
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address)
  const isDomain = /^[^\s/?#@]+\.[^\s/?#@]+/.test(address)
  const href = safeHref(hasScheme || !isDomain ? address : `https://${address}`)
  if (href === undefined) return undefined
  const text = trimmed.slice(0, trimmed.length - address.length).trim()
  return { text: text === '' ? address : text, href }
}
