import { findChoices } from './choices'

const keys = (search: string) =>
  findChoices(['Red', 'Green', 'Infrared'], search).map(({ key }) => key)

describe('a search among choices', () => {
  it('finds all without a text, in their order', () => {
    expect(keys('')).toEqual(['Red', 'Green', 'Infrared'])
  })

  it('finds those that begin with the text first, whatever its case, and then the text itself', () => {
    expect(keys('re')).toEqual(['Red', 'Green', 'Infrared', 're'])
    expect(keys(' red ')).toEqual(['Red', 'Infrared'])
    expect(keys('blue')).toEqual(['blue'])
  })
})
