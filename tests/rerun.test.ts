interface Outcome {
  readonly status: number | null
  readonly suites: ReadonlyMap<string, { readonly passed: number; readonly failed: number }>
}

const { findHindered } = jest.requireActual<{
  findHindered(outcome: Outcome, args: readonly string[]): string[]
}>('../scripts/test')

/** A run in which so many of ten suites have failed. */
function runWith(failed: number, status: number | null = 1): Outcome {
  const names = Array.from({ length: 10 }, (_, i) => `suite-${i}`)
  const suites = new Map(names.map((name, i) => [name, { passed: 1, failed: i < failed ? 1 : 0 }]))
  return { status, suites }
}

describe('suites that have failed', () => {
  it('are run once more, alone, when they are few', () => {
    expect(findHindered(runWith(2), [])).toEqual(['suite-0', 'suite-1'])
    expect(findHindered(runWith(4), [])).toEqual([])
  })

  it('stay failed when nothing ran beside them, as in a soak, which looks for what fails seldom', () => {
    expect(findHindered(runWith(1), ['tests/faults', '--runInBand'])).toEqual([])
  })

  it('stay failed when jest was ended by something else', () => {
    for (const status of [null, 134]) expect(findHindered(runWith(1, status), [])).toEqual([])
  })
})
