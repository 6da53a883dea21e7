/** Creates a key that no other write has. It need not be secret, so `Math.random` serves where there is no Web Crypto. */
export function createIdempotencyKey(): string {
  const bytes = new Uint8Array(16)
  const source = (globalThis as { crypto?: { getRandomValues?: (array: Uint8Array) => void } })
    .crypto
  if (source?.getRandomValues) source.getRandomValues(bytes)
  else bytes.forEach((_, index) => (bytes[index] = Math.random() * 256))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
