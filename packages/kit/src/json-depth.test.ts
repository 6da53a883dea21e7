import { isTooDeep } from './json-depth'

const nested = (levels: number, open: string, close: string) =>
  JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`) as unknown

describe('isTooDeep', () => {
  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":0,"b":', '}]'],
  ])('permits 64 levels of %s, and no more', (open, close) => {
    const step = open.length > 5 ? 2 : 1
    expect(isTooDeep(nested(64 / step, open, close))).toBe(false)
    expect(isTooDeep(nested(64 / step + 1, open, close))).toBe(true)
  })

  it('does not overflow the stack, however deep a value is', () => {
    expect(isTooDeep(nested(100_000, '[', ']'))).toBe(true)
  })

  it('counts no level for a plain value', () => {
    for (const value of [null, 1, 'x', true]) expect(isTooDeep(value, 0)).toBe(false)
  })
})
