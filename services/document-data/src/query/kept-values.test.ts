import { keptByKey } from './kept-values'

describe('keptByKey', () => {
  it('makes each value once while it is kept, also undefined, and forgets the oldest', () => {
    const made: string[] = []
    const get = keptByKey(2, (key) => {
      made.push(key)
      return key === 'none' ? undefined : key.toUpperCase()
    })
    expect(['a', 'none', 'a', 'none'].map(get)).toEqual(['A', undefined, 'A', undefined])
    expect(get('b')).toBe('B')
    expect(['none', 'b', 'a'].map(get)).toEqual([undefined, 'B', 'A'])
    expect(made).toEqual(['a', 'none', 'b', 'a'])
  })
})
