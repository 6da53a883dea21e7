import { quantileOf } from './append-latency'

describe('quantileOf', () => {
  const counts = [
    [1, 0],
    [2, 50],
    [4, 90],
    [Infinity, 100],
  ] as const

  it('interpolates within a bucket', () => {
    expect([0.5, 0.25, 0.7].map((share) => quantileOf(counts, share))).toEqual([2, 1.5, 3])
  })

  it('gives the greatest bound for what lies beyond it, and nothing without values', () => {
    expect(quantileOf(counts, 0.99)).toBe(4)
    expect(quantileOf([], 0.5)).toBeNaN()
    expect(quantileOf([[1, 0]], 0.5)).toBeNaN()
  })
})
