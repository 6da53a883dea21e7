import { toggle } from './toggle'

it('adds an item or removes it, and keeps the order of the others', () => {
  expect(toggle(['b', 'a'], 'c')).toEqual(['b', 'a', 'c'])
  expect(toggle(['b', 'a', 'c'], 'a')).toEqual(['b', 'c'])
})
