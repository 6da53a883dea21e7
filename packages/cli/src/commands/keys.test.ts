import { CliError } from '../cli-error'
import { readExpiry } from './keys'

const now = Date.parse('2025-06-01T12:00:00Z')

describe('readExpiry', () => {
  it.each([
    ['30d', '2025-07-01T12:00:00.000Z'],
    ['12h', '2025-06-02T00:00:00.000Z'],
    ['5m', '2025-06-01T12:05:00.000Z'],
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T12:00:00+02:00', '2030-01-31T10:00:00.000Z'],
  ])('reads %s', (text, at) => expect(readExpiry(text, now)).toBe(at))

  it.each(['soon', '1', '30', '2030-02-31x', '2025-05-31', '-1d', '0d'])('refuses %s', (text) => {
    expect(() => readExpiry(text, now)).toThrow(CliError)
  })
})
