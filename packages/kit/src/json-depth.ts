/** Maximum nesting of JSON that is passed on or stored; protects against stack exhaustion. */
const MAX_DEPTH = 64

/** Whether arrays and objects of a decoded JSON value are nested deeper than allowed. */
export function isTooDeep(root: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof root !== 'object' || root === null) return false
  if (depth === 0) return true
  for (const item of Array.isArray(root) ? root : Object.values(root)) {
    if (typeof item === 'object' && item !== null && isTooDeep(item, depth - 1)) return true
  }
  return false
}
