import fc from 'fast-check'
import { fromWall, toWall, zoneOf } from './time-zone'

const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe']
const at = (iso: string) => Date.parse(iso) / 1000

describe('wall-clock time', () => {
  it('is the inverse of the instant in every zone', () => {
    const seconds = fc.integer({ min: at('1850-01-01'), max: at('2100-01-01') })
    fc.assert(
      fc.property(seconds, fc.constantFrom(...zones), (epoch, zone) => {
        const wall = toWall(epoch, zone)
        // Of an hour that occurs twice, the first is used.
        expect(toWall(fromWall(wall, zone), zone)).toBe(wall)
      }),
    )
  })

  it('observes daylight saving time', () => {
    expect(toWall(at('2024-07-01T12:00:00Z'), 'Europe/Berlin')).toBe(at('2024-07-01T14:00:00Z'))
    expect(toWall(at('2024-01-01T12:00:00.5Z'), 'Europe/Berlin')).toBe(at('2024-01-01T13:00:00.5Z'))
  })

  it('moves skipped times forward, and uses the first of times that occur twice', () => {
    expect(fromWall(at('2024-03-10T02:30:00Z'), 'America/New_York')).toBe(
      at('2024-03-10T03:30:00-04:00'),
    )
    expect(fromWall(at('2024-11-03T01:30:00Z'), 'America/New_York')).toBe(
      at('2024-11-03T01:30:00-04:00'),
    )
  })

  it('is UTC for types without a known zone', () => {
    expect(zoneOf('DateTime:Asia/Tokyo')).toBe('Asia/Tokyo')
    expect(zoneOf('DateTime')).toBe('UTC')
    expect(zoneOf('DateTime:Nowhere/Land')).toBe('UTC')
  })
})
