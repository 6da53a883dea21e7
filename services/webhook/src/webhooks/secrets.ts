import { randomBytes } from 'node:crypto'

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32

/** A new secret as Standard Webhooks writes one. */
export function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}
