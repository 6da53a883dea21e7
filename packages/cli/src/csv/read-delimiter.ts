import { InvalidArgumentError } from 'commander'

/** Reads a delimiter from an option: one character, or `tab`. */
export function readDelimiter(text: string): string {
  const delimiter = text === '\\t' || text === 'tab' ? '\t' : text
  if (delimiter.length !== 1 || /["\r\n]/.test(delimiter)) {
    throw new InvalidArgumentError('Must be one character, or tab.')
  }
  return delimiter
}
