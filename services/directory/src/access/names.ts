import { AppError } from '@sheaf/kit/errors'

/** Maximum length of any name, in UTF-16 code units. */
const MAX_NAME = 256

// Under the u flag this class matches lone surrogates only; they cannot be encoded as UTF-8.
const ILL_FORMED = /\p{Surrogate}/u
// eslint-disable-next-line no-control-regex -- finding control characters is what this is for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const bad = (field: string, problem: string) =>
  new AppError('invalid', 'INVALID_NAME', `${field} ${problem}`, { field })

/**
 * Returns text that is valid in a name: at most 256 characters, without invisible controls. Throws `invalid`.
 */
export function requireLabel(text: string, field: string): string {
  if (text.length > MAX_NAME) throw bad(field, `must not be longer than ${MAX_NAME} characters`)
  if (CONTROL.test(text)) throw bad(field, 'must not contain control characters or line breaks')
  if (ILL_FORMED.test(text)) throw bad(field, 'must be well-formed Unicode')
  return text
}

/** Returns a name: a label with visible text. It is not trimmed. Throws `invalid`. */
export function requireName(text: string, field = 'name'): string {
  if (requireLabel(text, field).trim() === '') throw bad(field, 'must not be empty')
  return text
}

/** True for a valid name. */
export function isName(text: string): boolean {
  return (
    text.length <= MAX_NAME && text.trim() !== '' && !CONTROL.test(text) && !ILL_FORMED.test(text)
  )
}

/** Returns the default name of a user: the part before the @. */
export function defaultName(email: string): string {
  return email.slice(0, email.indexOf('@')).slice(0, MAX_NAME)
}

/**
 * Returns a new name, or undefined when it is absent, which leaves the name unchanged. Throws `invalid`, also
 * for an empty one.
 */
export function readNewName(text: string | undefined): string | undefined {
  return text === undefined ? undefined : requireName(text)
}

/**
 * Normalizes an email address for comparison: lower case, otherwise unchanged. The Kelvin sign is not
 * lowercased to a `k`, since that would make another address.
 */
export function normalizeEmail(text: string): string {
  return text.replace(/[^\u212a]+/g, (part) => part.toLowerCase())
}

/** True for a lower-case text that can be an email address. */
export function isEmail(email: string): boolean {
  return (
    email.length <= 254 &&
    /^[^\s@]+@[^\s@]+$/.test(email) &&
    !CONTROL.test(email) &&
    !ILL_FORMED.test(email)
  )
}

/** Returns an email address in lower case, in which addresses are compared. Throws `invalid`. */
export function readEmail(text: string): string {
  const email = normalizeEmail(text)
  if (!isEmail(email))
    throw new AppError('invalid', 'INVALID_EMAIL', 'email must be an email address', {
      field: 'email',
    })
  return email
}
