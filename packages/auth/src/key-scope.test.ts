import * as fc from 'fast-check'
import { readScopeClaim, toScopeClaim, type KeyScope } from './key-scope'

const ids = fc.array(fc.integer({ min: 1, max: 2 ** 31 - 1 }), { maxLength: 5 })
const counts = fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: undefined })
const caps = fc.record({
  rowsPerCall: counts,
  rowsPerHour: counts,
  tables: fc.option(fc.array(fc.string(), { maxLength: 5 }), { nil: undefined }),
  noStructure: fc.boolean(),
})
const scopes: fc.Arbitrary<KeyScope> = fc.record({
  readOnly: fc.boolean(),
  orgs: ids,
  workspaces: ids,
  documents: fc.array(fc.uuid(), { maxLength: 5 }),
  caps: fc.option(caps, { nil: undefined }),
})

describe('the scope of a key as a claim', () => {
  it('survives conversion to JSON and back', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        const claim: unknown = JSON.parse(JSON.stringify(toScopeClaim(scope)))
        expect(readScopeClaim(claim)).toEqual(scope)
      }),
    )
  })

  it('is absent for a key without one', () => {
    expect(toScopeClaim(undefined)).toBeUndefined()
    expect(readScopeClaim(undefined)).toBeUndefined()
  })

  it.each([
    null,
    'all',
    1,
    { orgs: 'all' },
    { ws: ['1'] },
    { docs: [1] },
    { orgs: [1.5] },
    { caps: 1 },
    { caps: { call: 0 } },
    { caps: { hour: '9' } },
    { caps: { tables: 'A' } },
  ])('is rejected, not ignored, when it is malformed: %j', (claim) => {
    expect(() => readScopeClaim(claim)).toThrow()
  })
})
