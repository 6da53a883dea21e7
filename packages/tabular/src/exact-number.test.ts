import { isHeldExactly, isInRange } from './exact-number'

describe('a number in a text', () => {
  it.each([
    ['0', true],
    ['-0', true],
    ['0.00', true],
    ['0e5', true],
    ['1e5', true],
    ['1E+2', true],
    ['-123456789012345', true],
    ['0.123456789012345', true],
    ['9007199254740991', true],
    ['1152921504606847000', true],
    ['0.30000000000000004', true],
    ['5e-324', true],
    ['9007199254740993', false],
    ['12345678901234567890', false],
    ['0.12345678901234567', false],
    ['1e400', false],
    ['-1e400', false],
    ['1e-400', false],
    ['1.5e-323', true],
    ['1.4e-323', false],
  ])('%s is held exactly: %s', (text, expected) => {
    expect(isHeldExactly(text)).toBe(expected)
  })

  it.each([
    ['0', true],
    ['0e999', true],
    ['0.10000000000000001', true],
    ['1e309', false],
    ['1.5e-400', false],
  ])('%s is in the range of a double: %s', (text, expected) => {
    expect(isInRange(text, Number(text))).toBe(expected)
  })
})
