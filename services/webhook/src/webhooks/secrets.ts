import { randomBytes } from 'node:crypto'

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

/** Creates a secret in the format of Standard Webhooks. */
export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
