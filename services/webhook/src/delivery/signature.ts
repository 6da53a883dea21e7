import { createHmac } from 'node:crypto'

const PREFIX = /^whsec_/

/** What is signed. */
export interface Signed {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: Buffer
}

/** The header `webhook-signature` of Standard Webhooks: a signature for each secret (`whsec_` and base64). */
export function sign({ id, timestamp, body }: Signed, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(PREFIX, ''), 'base64')
      const hash = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body)
      return `v1,${hash.digest('base64')}`
    })
    .join(' ')
}
