import { AppError } from '@sheaf/kit/errors'

/** Longest name of anything, in UTF-16 units. */
const MAX_NAME = 256

// A lone surrogate is the only thing that this class matches under the u flag; it could not be sent as UTF-8.
const ILL_FORMED = /\p{Surrogate}/u
// eslint-disable-next-line no-control-regex -- finding control characters is what this is for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const bad = (field: string, problem: string) =>
  new AppError('invalid', 'INVALID_NAME', `${field} ${problem}`, { field })

/** Text that may stand in a name: at most 256 characters, none of them invisible controls. Throws `invalid`. */
export function requireLabel(text: string, field: string): string {
  if (text.length > MAX_NAME) throw bad(field, `must not be longer than ${MAX_NAME} characters`)
  if (CONTROL.test(text)) throw bad(field, 'must not contain control characters or line breaks')
  if (ILL_FORMED.test(text)) throw bad(field, 'must be well-formed Unicode')
  return text
}

/** A name: a label that shows something. It is kept as it came, without trimming. Throws `invalid`. */
export function requireName(text: string, field = 'name'): string {
  if (requireLabel(text, field).trim() === '') throw bad(field, 'must not be empty')
  return text
}

/** True for what could be a name. */
export function isName(text: string): boolean {
  return (
    text.length <= MAX_NAME && text.trim() !== '' && !CONTROL.test(text) && !ILL_FORMED.test(text)
  )
}

/** The name of a user who has given none: what stands before the @. */
export function defaultName(email: string): string {
  return email.slice(0, email.indexOf('@')).slice(0, MAX_NAME)
}

/** A new name, or undefined where none is given: absent or empty changes nothing. Throws `invalid`. */
export function readNewName(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : requireName(text)
}

/**
 * An email address as addresses are compared: in lower case, and otherwise as it came. The sign for Kelvin is no letter of
 * anybody's address, and must not become one.
 */
export function normalizeEmail(text: string): string {
  return text.replace(/[^\u212a]+/g, (part) => part.toLowerCase())
}

/** True for a text in lower case that can be an email address. */
export function isEmail(email: string): boolean {
  return (
    email.length <= 254 &&
    /^[^\s@]+@[^\s@]+$/.test(email) &&
    !CONTROL.test(email) &&
    !ILL_FORMED.test(email)
  )
}

/** An email address in lower case, which is how they are compared. Throws `invalid`. */
export function readEmail(text: string): string {
  const email = normalizeEmail(text)
  if (!isEmail(email))
    throw new AppError('invalid', 'INVALID_EMAIL', 'email must be an email address', {
      field: 'email',
    })
  return email
}
