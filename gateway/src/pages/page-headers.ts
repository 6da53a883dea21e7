import type { ReplyHead } from '../http/reply'

/**
 * Content-Security-Policy of all pages for people: scripts, styles, pictures and fonts come from this server and stand in
 * files of their own, calls and forms go to this server, and no page is shown inside another. Nothing inline is run.
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
 * Of the address of a page nothing but its origin is told to anybody, so that what stands in a query stays here. With
 * `no-referrer` a form would be sent with `Origin: null`, and could not be told from that of a foreign page.
 */
const PAGE_REFERRER = 'strict-origin'

/** The head of an answer that is a page: to be shown by a browser, and never taken from a cache. */
export const pageHead: ReplyHead = {
  mediaType: 'text/html; charset=utf-8',
  policy: PAGE_POLICY,
  referrer: PAGE_REFERRER,
  cache: 'no-store',
}
