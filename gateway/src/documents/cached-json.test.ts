import { toCachedJson } from './cached-json'

describe('cached JSON', () => {
  it('is that of the value', () => {
    const value = { name: 'été \u{1F600} \ud800', docs: [1, null] }
    expect(toCachedJson(value).toString()).toBe(JSON.stringify(value))
  })

  it('retains no more memory than it has bytes', () => {
    const json = toCachedJson({ name: 'x'.repeat(1_000) })
    expect(json.buffer.byteLength).toBe(json.length)
  })
})
