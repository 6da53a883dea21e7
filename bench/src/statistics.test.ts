import fc from 'fast-check'
import { median, percentile, reaches } from './statistics'

describe('median and percentile', () => {
  test('the median is the middle one, or halfway between the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  test('a percentile lies between its neighbours by proportion', () => {
    const values = Array.from({ length: 101 }, (_, index) => 100 - index)
    expect(percentile(values, 0.95)).toBe(95)
    expect(percentile([10, 20], 0.25)).toBe(12.5)
    expect(percentile([10, 20], 1)).toBe(20)
  })

  test('a percentile never leaves the range of its values, and order does not matter', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), share, (values, at) => {
        const found = percentile(values, at)
        expect(found).toBeGreaterThanOrEqual(Math.min(...values))
        expect(found).toBeLessThanOrEqual(Math.max(...values))
        expect(percentile([...values].reverse(), at)).toBe(found)
      }),
    )
  })
})

describe('goals', () => {
  const atMost = { side: 'at most', value: 0.4, ratio: true } as const
  const atLeast = { side: 'at least', value: 300, ratio: false } as const

  test('a goal of a ratio looks at the ratio alone, another one at the figure', () => {
    expect(reaches(atMost, 900, 0.4)).toBe(true)
    expect(reaches(atMost, 0.1, 0.5)).toBe(false)
    expect(reaches(atLeast, 300, 0.1)).toBe(true)
    expect(reaches(atLeast, 299, 10)).toBe(false)
  })

  test('what could not be measured reaches nothing', () => {
    expect(reaches(atMost, 1, undefined)).toBe(false)
    expect(reaches(atLeast, NaN, 1)).toBe(false)
  })
})
