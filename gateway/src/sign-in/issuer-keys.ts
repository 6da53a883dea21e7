import type { TokenIssuer } from '@sheaf/auth/access-token'
import { z } from 'zod'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 256 * 1024
const MAX_KEYS = 100

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().optional() })).max(MAX_KEYS),
})

/** Fetches the public keys of an identity provider. Throws unless they arrive in time, are few and have the form of keys. */
export async function fetchIssuerKeys(
  url: string,
  timeoutMs = TIMEOUT_MS,
): Promise<TokenIssuer['keys']> {
  const response = await fetch(url, {
    headers: { accept: 'application/jwk-set+json, application/json' },
    // With 'error' the fetch of Node 20 no longer ends a response in time once garbage has been collected.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (!response.ok || !response.body)
    throw new Error(`the keys were answered with ${response.status}`)
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > MAX_BYTES) throw new Error(`the keys have more than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return keySet.parse(JSON.parse(Buffer.concat(parts).toString()))
}
