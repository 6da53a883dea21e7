const UNITS = ['B', 'kB', 'MB', 'GB']

/** Formats a number of bytes, such as `1.5 MB`. */
export function formatSize(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** step
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${UNITS[step]}`
}
