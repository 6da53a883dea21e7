import { findChoices } from './choices'

const keys = (search: string) =>
  findChoices(['Red', 'Green', 'Infrared'], search).map(({ key }) => key)

describe('a search among choices', () => {
  it('returns all choices in order for an empty text', () => {
    expect(keys('')).toEqual(['Red', 'Green', 'Infrared'])
  })

  it('returns choices that start with the text first, ignoring case, and the text itself last', () => {
    expect(keys('re')).toEqual(['Red', 'Green', 'Infrared', 're'])
    expect(keys(' red ')).toEqual(['Red', 'Infrared'])
    expect(keys('blue')).toEqual(['blue'])
  })
})
