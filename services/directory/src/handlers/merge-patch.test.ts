import { mergePatch } from './merge-patch'

// The examples of RFC 7396, appendix A.
it.each<[unknown, unknown, unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected)
})

it('a member that is called __proto__ is one as others are', () => {
  const patched = mergePatch(
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"__proto__":{"b":2}}'),
  )
  expect(JSON.stringify(patched)).toBe('{"__proto__":{"a":1,"b":2}}')
  expect({}).not.toHaveProperty('b')
})
