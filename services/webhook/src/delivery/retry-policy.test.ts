import { decideRetry, backoffAfter } from './retry-policy'

const now = new Date('2026-01-31T12:00:00Z')
const fresh = { attempts: 0, failingSince: null, now }
const failure = { error: 'HTTP status 500', httpStatus: 500 }
const HOUR = 3_600_000
const ago = (ms: number) => new Date(now.getTime() - ms)

describe('the retry decision after an attempt', () => {
  it('is to go on after success', () => {
    expect(decideRetry({ error: null, httpStatus: 204 }, fresh, 0.5)).toEqual({ next: 'go on' })
  })

  it('is to wait 1, 2, 4, 8 seconds and so on, an hour at most', () => {
    const waits = Array.from({ length: 16 }, (_, attempts) => {
      const decision = decideRetry(failure, { ...fresh, attempts }, 0.5)
      return decision.next === 'try again' ? decision.waitMs / 1_000 : decision
    })
    expect(waits.slice(0, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048])
    expect(waits.slice(12)).toEqual([3600, 3600, 3600, 3600])
    expect(backoffAfter(1_000_000, 0.5)).toBe(HOUR)
  })

  it('spreads the waits by a fifth to both sides', () => {
    expect([backoffAfter(4, 0), backoffAfter(4, 1)]).toEqual([6_400, 9_600])
  })

  it('tells short waits from long ones', () => {
    expect(decideRetry(failure, { ...fresh, attempts: 3 }, 0.5)).toMatchObject({
      status: 'retrying',
    })
    expect(decideRetry(failure, { ...fresh, attempts: 13 }, 0.5)).toMatchObject({
      status: 'postponed',
    })
    expect(
      decideRetry({ error: 'no', httpStatus: null, isRefused: true }, fresh, 0.5),
    ).toMatchObject({
      next: 'try again',
      status: 'invalid',
    })
  })

  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['0', 1_000],
    ['Sat, 31 Jan 2026 12:05:00 GMT', 300_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 1_000],
    ['999999999999', 24 * HOUR],
    ['Sun, 31 Jan 2027 12:00:00 GMT', 24 * HOUR],
    ['1.5', 1_000],
    ['-5', 1_000],
    ['2030', 2_030_000],
    ['soon', 1_000],
    ['', 1_000],
  ])(
    'waits as long as the receiver asks by Retry-After %j, within bounds',
    (retryAfter, waitMs) => {
      expect(decideRetry({ ...failure, httpStatus: 503, retryAfter }, fresh, 0.5)).toMatchObject({
        next: 'try again',
        waitMs,
      })
    },
  )

  it('never waits less than it would anyway', () => {
    const decision = decideRetry({ ...failure, retryAfter: '1' }, { ...fresh, attempts: 9 }, 0.5)
    expect(decision).toMatchObject({ waitMs: 512_000 })
  })

  it('is the end when the receiver is gone for good', () => {
    const decision = decideRetry({ error: 'HTTP status 410', httpStatus: 410 }, fresh, 0.5)
    expect(decision).toEqual({
      next: 'halt',
      reason: 'the receiver returned HTTP status 410 (gone)',
    })
  })

  it('is the end after 5 days without success, and not before', () => {
    const failing = { attempts: 130, now }
    const days = 5 * 24 * HOUR
    expect(decideRetry(failure, { ...failing, failingSince: ago(days) }, 0.5)).toEqual({
      next: 'halt',
      reason: 'no successful delivery for 5 days',
    })
    expect(decideRetry(failure, { ...failing, failingSince: ago(days - 1) }, 0.5).next).toBe(
      'try again',
    )
    const success = { error: null, httpStatus: 200 }
    expect(decideRetry(success, { ...failing, failingSince: ago(days) }, 0.5).next).toBe('go on')
  })
})
