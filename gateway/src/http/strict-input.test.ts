import { requireKeptInput } from './strict-input'

/** As the parser makes it; a literal would set the prototype. */
const bottom: unknown = JSON.parse('{"__proto__":1}')

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value = bottom
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

describe('requireKeptInput', () => {
  it('accepts bodies without a property __proto__', () => {
    for (const body of [{}, [], [null, 1, 'x'], { a: [{ b: { proto: '__proto__' } }] }])
      expect(() => requireKeptInput(body)).not.toThrow()
  })

  it('names the property where it is', () => {
    const body = { a: 1, rows: [{}, { fields: bottom }] }
    expect(() => requireKeptInput(body)).toThrow(
      /^unrecognized property body\.rows\[1\]\.fields\.__proto__$/,
    )
  })

  it('names a property at the bottom of a deep body without its whole path', () => {
    const body = nested(99, (inner) => ({ a: inner }))
    expect(() => requireKeptInput(body)).toThrow(
      /^unrecognized property body(\.a){6}…(\.a){5}\.__proto__$/,
    )
  })

  it('visits a body that is both wide and deep, in which each level has many siblings', () => {
    const siblings = Array.from({ length: 2_000 }, () => [[]])
    const body = nested(98, (inner) => [inner, ...siblings])
    expect(() => requireKeptInput(body)).toThrow(/\[0\]\.__proto__$/)
  })

  it('refuses a number that would become null, and names it', () => {
    const body: unknown = JSON.parse('{"filter":{"A":["1e400",1e308,-1e400]}}')
    expect(() => requireKeptInput(body)).toThrow(
      /^Invalid payload: body\.filter\.A\[2\] is a number out of range$/,
    )
    expect(() => requireKeptInput(body, { numbers: true })).not.toThrow()
  })
})
