import { SliceSizes } from './next-slice'

describe('the rows of a step', () => {
  it('grow while steps are short, up to a limit', () => {
    const sizes = new SliceSizes()
    const seen = [sizes.of(1)]
    for (let step = 0; step < 4; step++) {
      sizes.took(1, sizes.of(1), sizes.of(1) * 0.001)
      seen.push(sizes.of(1))
    }
    expect(seen).toEqual([500, 4_000, 32_000, 50_000, 50_000])
  })

  it('are as many as fit into the time of a step, and fewer after one that exceeded a limit', () => {
    const sizes = new SliceSizes()
    sizes.took(1, 500, 500)
    expect(sizes.of(1)).toBe(150)
    sizes.exceeded(1)
    expect(sizes.of(1)).toBe(19)
    expect(sizes.of(2)).toBe(500)
  })

  it('are fewer after a write of as many rows exceeded a limit, and as many after one of very many', () => {
    const sizes = new SliceSizes()
    sizes.exceeded(1, 10_000)
    expect(sizes.of(1)).toBe(500)
    sizes.exceeded(1, 400)
    expect(sizes.of(1)).toBe(50)
  })

  it('do not shrink because other work on the machine makes a step longer', () => {
    const sizes = new SliceSizes()
    sizes.took(1, 500, 50)
    const rows = sizes.of(1)
    sizes.took(1, rows, rows * 2)
    expect(sizes.of(1)).toBe(rows)
  })
})
