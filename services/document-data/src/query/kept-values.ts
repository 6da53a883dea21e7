/**
 * Returns a function that returns what `make` makes of a key, and makes it once while it is kept: the last `most` keys are.
 */
export function keptByKey<V>(most: number, make: (key: string) => V): (key: string) => V {
  const values = new Map<string, V>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined || values.has(key)) return known as V
    const [oldest] = values.keys()
    if (values.size >= most && oldest !== undefined) values.delete(oldest)
    const made = make(key)
    values.set(key, made)
    return made
  }
}
