import * as fc from 'fast-check'
import { TokenBuckets } from './token-buckets'

const MINUTE = 60_000

function withClock(perMinute: number) {
  const time = { now: 1_000 }
  return { time, buckets: new TokenBuckets('key', perMinute, () => time.now) }
}

/** Returns how many of `count` attempts succeed. */
function tries(buckets: TokenBuckets, count: number, who = 'alice'): number {
  let passed = 0
  for (let i = 0; i < count; i++) if (!buckets.take(who).isRefused) passed++
  return passed
}

describe('a bucket', () => {
  it.each([1, 7, 60, 1000, 600_000])('of %d holds as much, and no more', (perMinute) => {
    const { buckets } = withClock(perMinute)
    expect(tries(buckets, perMinute + 10)).toBe(perMinute)
  })

  it('fills up evenly, and not beyond its size', () => {
    const { time, buckets } = withClock(60)
    tries(buckets, 60)
    time.now += 1_000
    expect(tries(buckets, 5)).toBe(1)
    time.now += 2_500
    expect(tries(buckets, 5)).toBe(2)
    time.now += 10 * MINUTE
    expect(tries(buckets, 100)).toBe(60)
  })

  it('is one for each caller', () => {
    const { buckets } = withClock(5)
    expect(tries(buckets, 9, 'alice')).toBe(5)
    expect(tries(buckets, 9, 'bob')).toBe(5)
  })

  it('says what is left, and when all of it will be back', () => {
    const { time, buckets } = withClock(60)
    const { policy, text } = buckets.take('alice')
    expect([policy, text]).toEqual(['"key";q=60;w=60', '"key";r=59;t=1'])
    tries(buckets, 9)
    expect(buckets.peek('alice').text).toBe('"key";r=50;t=10')
    tries(buckets, 50)
    time.now += 400
    expect(buckets.take('alice')).toMatchObject({
      isRefused: true,
      retryAfterMs: 600,
      text: '"key";r=0;t=60',
    })
  })

  it('is not touched by a look at it, nor by what it refuses', () => {
    const { time, buckets } = withClock(2)
    for (let i = 0; i < 9; i++) expect(buckets.peek('alice').isRefused).toBe(false)
    tries(buckets, 50)
    time.now += MINUTE / 2
    expect(buckets.peek('alice').isRefused).toBe(false)
    expect(tries(buckets, 9)).toBe(1)
  })

  it('takes back what was not used', () => {
    const { buckets } = withClock(3)
    tries(buckets, 3)
    buckets.give('alice')
    expect(tries(buckets, 9)).toBe(1)
    buckets.give('nobody')
    expect(tries(buckets, 9, 'nobody')).toBe(3)
  })

  it('never lets more through in any stretch of time than it holds and gains', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1, max: 80 })), {
          maxLength: 40,
        }),
        (perMinute, steps) => {
          const { time, buckets } = withClock(perMinute)
          const begun = time.now
          let passed = 0
          for (const [pause, count] of steps) {
            time.now += pause
            passed += tries(buckets, count)
            const most = perMinute + ((time.now - begun) * perMinute) / MINUTE
            expect(passed).toBeLessThanOrEqual(most + 1e-3)
          }
        },
      ),
    )
  })
})
