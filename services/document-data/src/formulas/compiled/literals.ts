import type { SyntaxNode } from '@sheaf/formula-text/formula-tree'
import { Unsupported } from './unsupported'

const WHOLE = /^(0|[1-9]\d*)$/
const FLOAT = /^(\d+\.\d*|\.\d+|\d+(?=e))(e[+-]?\d+)?$/i
const ESCAPE = /\\(\r\n|[\s\S])/g
const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The value of a number in a formula. */
export function numberLiteral(text: string): number | bigint {
  if (WHOLE.test(text)) return BigInt(text)
  if (FLOAT.test(text)) return Number(text)
  throw new Unsupported(`the number ${text}`)
}

/** The grammar takes `1.real` for an attribute of a number; in Python it is a syntax error. */
export function requireNoNumber({ name }: SyntaxNode): void {
  if (name === 'Number') throw new Unsupported('an attribute of a number')
}

/** The value of a string in a formula. */
export function stringLiteral(text: string): string {
  const [, prefix = '', quote = '', body = ''] =
    /^([rRuU]?)("""|'''|"|')([\s\S]*)\2$/.exec(text) ?? []
  if (quote === '') throw new Unsupported('a string of another kind')
  return /r/i.test(prefix) ? body : unescape(body)
}

/** Text in a string with its escapes replaced. */
export function unescape(body: string): string {
  return body.replace(/\r\n?/g, '\n').replace(ESCAPE, (_, sign: string) => {
    const character = ESCAPES[sign]
    if (character === undefined) throw new Unsupported('an escape in a string')
    return character
  })
}
