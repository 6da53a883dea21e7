import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Derives the token that pages send along to prove that they could read a response to the browser that holds
 * this secret, which pages of other sites cannot. It reveals nothing about the secret.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('sheaf csrf token').digest('base64url')
}

/** True for the token of this secret. Compares digests, so that timing reveals nothing. */
export function isCsrfToken(given: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(csrfTokenOf(secret)))
}
