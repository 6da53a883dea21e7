import type { ReplyHead } from '../http/reply'

/**
 * Content-Security-Policy of all HTML pages: scripts, styles, images and fonts are separate files of this
 * server, requests and forms go to this server, and no page can be framed. Nothing inline runs.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Only the origin of a page's address is sent to other sites, so that its query stays private. With
 * `no-referrer`, a form would be sent with `Origin: null`, indistinguishable from that of a foreign page.
 */
const PAGE_REFERRER = 'strict-origin'

/** The head of a page response, which must not be cached. */
export const pageHead: ReplyHead = {
  mediaType: 'text/html; charset=utf-8',
  policy: PAGE_POLICY,
  referrer: PAGE_REFERRER,
  cache: 'no-store',
}
