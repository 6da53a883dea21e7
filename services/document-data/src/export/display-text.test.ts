import fc from 'fast-check'
import type { Cell } from '../values/column-type'
import { tag } from '../values/tagged-text'
import { displayText } from './display-text'

const shown = (cell: unknown) => displayText(tag(cell as Cell), { as: 'any' })

describe('the text of a cell of any kind', () => {
  it('of lists within lists does not double with each level', () => {
    let cell: unknown = ['L', 'a,b']
    for (let level = 0; level < 60; level++) cell = ['L', cell]
    expect(shown(cell).length).toBeLessThan(2_000)
  })

  it.each([
    [['constructor', 1], '["constructor",1]'],
    [['valueOf'], '["valueOf"]'],
    [['__proto__'], '["__proto__"]'],
    [[{ toString: 1 }], '[{"toString":1}]'],
    [['R', { toString: 1 }, 1], '{"toString":1}[1]'],
    [['E', { toString: 1 }], '#{"toString":1}'],
    [['r', 'T', [{ toString: 1 }]], 'T[[{"toString":1}]]'],
  ])('of %j was an error of every export', (cell, text) => {
    expect(shown(cell)).toBe(text)
  })

  it.each([
    [['D', 1704070800, 'Asia/Tokyo'], '2024-01-01 10:00:00+09:00'],
    [['d', 1704067200], '2024-01-01'],
    [['r', 'Kin', [1, 2]], 'Kin[[1,2]]'],
    [['O', { k: 1, l: ['a', { b: null }] }], '{"k": 1, "l": ["a", {"b": null}]}'],
  ])('of %j is %s', (cell, text) => {
    expect(shown(cell)).toBe(text)
  })

  it('is a text, whatever JSON the cell is', () => {
    const code = fc.constantFrom('L', 'd', 'D', 'R', 'r', 'E', 'U', 'O')
    const coded = fc.tuple(code, fc.jsonValue(), fc.jsonValue())
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), coded), (cell) => {
        expect(typeof shown(cell)).toBe('string')
      }),
    )
  })
})
