import { freeIds } from './free-ids'

describe('ids for new columns', () => {
  it('are the first letters that are free, in any case, then letters with numbers', () => {
    expect(freeIds(['b', 'Name'], 3)).toEqual(['A', 'C', 'D'])
    const many = freeIds(['A1'], 60)
    expect(new Set(many).size).toBe(60)
    expect(many.slice(25, 28)).toEqual(['Z', 'B1', 'C1'])
  })
})
