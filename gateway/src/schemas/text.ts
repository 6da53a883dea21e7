import { toUSVString } from 'node:util'
import { z } from 'zod'

/** Long enough for any name; listings contain every name. */
const MAX_NAME_LENGTH = 1_024

const isStorable = (value: string) => !value.includes('\0') && toUSVString(value) === value

/** Text that can be stored and forwarded verbatim: well-formed Unicode without NUL. */
export const text = z
  .string()
  .refine(isStorable, 'has a character that cannot be stored: NUL or half a surrogate pair')

/** A display name. */
export const nameText = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine(isStorable, 'has a character that cannot be stored: NUL or half a surrogate pair')
