import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * What pages send along to show that they could read an answer to the browser that holds this secret, which no page of
 * another site can. It tells nothing of the secret.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('sheaf csrf token').digest('base64url')
}

/** True for the token of this secret. Compares digests, so that the time it takes tells nothing. */
export function isCsrfToken(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(csrfTokenOf(secret)))
}
