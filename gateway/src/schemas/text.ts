import { toUSVString } from 'node:util'
import { z } from 'zod'

/** Longest name. Names are part of every listing, so they are bounded. */
const MAX_NAME_LENGTH = 1_024

const isStorable = (value: string) => !value.includes('\0') && toUSVString(value) === value

/** Text that can be stored and forwarded unchanged: well-formed Unicode without NUL. */
export const text = z.string().refine(isStorable, 'must not contain NUL or an unpaired surrogate')

/** A display name. */
export const nameText = z
  .string()
  .max(MAX_NAME_LENGTH)
  .refine(isStorable, 'must not contain NUL or an unpaired surrogate')
