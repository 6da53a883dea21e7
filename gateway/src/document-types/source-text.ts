import type { ColumnSchema } from './document-schema'

/** Control and formatting characters, line ends and halves of surrogate pairs: they could hide or end a comment. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu
/** Characters that JSON leaves as they are but that can end a line, or show code other than it runs. */
const UNSAFE_IN_LITERAL = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu
const MAX_COMMENT = 500

/** Returns a text as one line without invisible characters, cut to the length of a comment. */
function toCommentText(text: string): string {
  const line = text.replace(UNSAFE, ' ').trim()
  const characters = [...line.slice(0, 2 * MAX_COMMENT)]
  return characters.length > MAX_COMMENT ? `${characters.slice(0, MAX_COMMENT).join('')}…` : line
}

/** Returns a text as a string literal of TypeScript. */
export function toTypeScriptLiteral(text: string): string {
  return toLiteral(text, (code) => `\\u{${code.toString(16)}}`)
}

/** Returns a text as a string literal of Python. */
export function toPythonLiteral(text: string): string {
  return toLiteral(text, (code) => `\\U${code.toString(16).padStart(8, '0')}`)
}

function toLiteral(text: string, escape: (code: number) => string): string {
  return JSON.stringify(text).replace(UNSAFE_IN_LITERAL, (found) =>
    escape(found.codePointAt(0) ?? 0),
  )
}

/** Returns label and description of a column; the label only where it says more than the id. */
export function describeColumn({ id, label, description }: ColumnSchema): string {
  const parts = [label === id ? '' : label, description].map(toCommentText)
  return parts.filter((part) => part !== '').join(': ')
}
