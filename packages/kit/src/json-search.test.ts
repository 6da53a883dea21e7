import { findInJson, isInfinite, pathText } from './json-search'

const find = (text: string) => findInJson(JSON.parse(text), isInfinite)

describe('findInJson', () => {
  it('finds numbers that JSON.stringify would write as null', () => {
    expect(find('{"a":1,"rows":[{},{"fields":{"N":1e400}}]}')).toEqual(['rows', 1, 'fields', 'N'])
    expect(find('[[],-1e999]')).toEqual([1])
    expect(find(`{"a":[${'1'.repeat(400)}]}`)).toEqual(['a', 0])
    expect(find('{"__proto__":{"a":1e400}}')).toEqual(['__proto__', 'a'])
  })

  it('finds nothing among numbers in range, text and literals', () => {
    for (const text of ['{}', '[]', '3', '"1e400"', '{"a":[1e308,-0,1e-400,"Infinity",null,true]}'])
      expect(find(text)).toBeUndefined()
  })

  it('finds a value however deep it is', () => {
    const depth = 100_000
    expect(find(`${'[[],'.repeat(depth)}1e400${']'.repeat(depth)}`)).toHaveLength(depth)
  })
})

describe('pathText', () => {
  it('shows a path below the name of its root', () => {
    expect(pathText(['records', 0, 'fields'])).toBe('body.records[0].fields')
    expect(pathText(['A', 1], 'filter')).toBe('filter.A[1]')
    expect(pathText([])).toBe('body')
  })

  it('omits the middle of a long path', () => {
    const path = Array.from({ length: 13 }, () => 'a')
    expect(pathText(path)).toBe('body.a.a.a.a.a.a….a.a.a.a.a.a')
  })
})
