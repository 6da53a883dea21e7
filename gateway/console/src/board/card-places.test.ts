import fc from 'fast-check'
import { indexAt, placeOf, placesIn, shownCount } from './card-places'

describe('the places of cards', () => {
  it('are those of the rows that are not left out, in order', () => {
    const ascending = fc.uniqueArray(fc.nat(40)).map((all) => all.sort((a, b) => a - b))
    fc.assert(
      fc.property(ascending, (skipped) => {
        const left = Array.from({ length: 60 }, (_, index) => index).filter(
          (index) => !skipped.includes(index),
        )
        left.forEach((index, place) => {
          expect(indexAt(place, skipped)).toBe(index)
          expect(placeOf(index, skipped)).toBe(place)
        })
      }),
    )
  })

  it('are drawn in the visible part, with a few before and after it', () => {
    expect(placesIn({ top: 0, height: 500 }, 100)).toEqual({ first: 0, end: 8 })
    expect(placesIn({ top: 1_050, height: 500 }, 100)).toEqual({ first: 7, end: 19 })
  })

  it('are limited by the height of a lane', () => {
    expect(shownCount(1_000, 100)).toBe(1_000)
    expect(shownCount(1_000_000, 100)).toBe(80_000)
  })
})
