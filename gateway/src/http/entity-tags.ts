/** Returns whether an `If-None-Match` header names this ETag, compared weakly. */
export function knows(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return (
    header.trim() === '*' ||
    header.split(',').some((known) => known.trim().replace(/^W\//, '') === tag)
  )
}
