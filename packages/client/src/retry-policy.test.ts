import fc from 'fast-check'
import { toError } from './errors.ts'
import { canRepeat, defaultLimits, delayBefore, mergeLimits } from './retry-policy.ts'

const errorOf = (status: number, details: object, retryAfter?: string) =>
  toError(
    status,
    new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    JSON.stringify({ error: 'refused', details }),
  )

describe('delays', () => {
  it('are random below a bound that doubles up to the maximum', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (attempt) => {
        const { firstDelayMs, maxDelayMs } = defaultLimits
        const delay = delayBefore(attempt, undefined, defaultLimits)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)))
      }),
    )
    expect(
      new Set(Array.from({ length: 20 }, () => delayBefore(5, undefined, defaultLimits))).size,
    ).toBeGreaterThan(1)
  })

  it('are added to the time that the server asks for, in seconds, as a date or in milliseconds', () => {
    const limits = { ...defaultLimits, firstDelayMs: 0 }
    expect(delayBefore(1, errorOf(503, {}, '3'), limits)).toBe(3_000)
    expect(delayBefore(1, errorOf(429, { retryAfterMs: '250' }, '1'), limits)).toBe(250)
    expect(delayBefore(1, errorOf(429, { retryAfterMs: 250 }, '1'), limits)).toBe(250)
    for (const retryAfterMs of ['', 'soon', '1s', null])
      expect(delayBefore(1, errorOf(429, { retryAfterMs }, '1'), limits)).toBe(1_000)
    const inAMinute = new Date(Date.now() + 60_000).toUTCString()
    expect(delayBefore(1, errorOf(503, {}, inAMinute), limits)).toBeGreaterThan(50_000)
    expect(delayBefore(1, errorOf(503, {}, 'Wed, 21 Oct 2015 07:28:00 GMT'), limits)).toBe(0)
    expect(delayBefore(1, errorOf(503, {}, 'soon'), limits)).toBe(0)
  })
})

it('limits that are undefined are those of the client', () => {
  const given = { attempts: undefined, totalMs: 5 }
  expect(mergeLimits(defaultLimits, given)).toEqual({ ...defaultLimits, totalMs: 5 })
})

describe('repetition', () => {
  it.each([
    [503, {}, true, false],
    [503, { applied: false }, true, true],
    [504, { applied: false }, true, true],
    [500, {}, false, false],
    [412, {}, false, false],
  ])('after %s %j: reads %s, writes without a key %s', (status, details, reads, writes) => {
    const error = errorOf(status, details)
    expect([canRepeat(error, true), canRepeat(error, false)]).toEqual([reads, writes])
  })

  it('after 429 depends on Retry-After, also for writes, because a refused one has had no effect', () => {
    expect(canRepeat(errorOf(429, {}, '1'), false)).toBe(true)
    expect(canRepeat(errorOf(429, {}), true)).toBe(false)
  })
})
