/**
 * Returns the JSON of a value, for a cache: in memory of its own. A small Buffer is otherwise a part of a larger one of
 * 8 KiB, all of which it would retain, beyond the bounds of the cache.
 */
export function toCachedJson(value: unknown): Buffer {
  const text = JSON.stringify(value)
  const json = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  json.write(text)
  return json
}
