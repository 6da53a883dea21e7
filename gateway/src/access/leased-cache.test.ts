import { eventually } from '@sheaf/testkit/eventually'
import { LeasedCache } from './leased-cache'

/** A lease that the test changes, and a cache beneath it. */
function start(bounds: { entries?: number; bytes?: number; ageMs?: number } = {}) {
  const state = { held: true, version: 1 }
  const lease = {
    isHeld: () => state.held,
    get version() {
      return state.version
    },
  }
  const cache = new LeasedCache<Buffer>(lease, {
    entries: 100,
    sizeOf: ({ length }) => length,
    ...bounds,
  })
  let asked = 0
  const ask = (text: string) => {
    asked++
    return Promise.resolve(Buffer.from(text))
  }
  const read = async (key: string, text = key) => (await cache.get(key, () => ask(text))).toString()
  return { state, cache, read, asked: () => asked }
}

describe('a cache beneath the access lease', () => {
  it('asks once for each key', async () => {
    const { read, asked } = start()
    expect([await read('a'), await read('b'), await read('a', 'new')]).toEqual(['a', 'b', 'a'])
    expect(asked()).toBe(2)
  })

  it('forgets everything at a change', async () => {
    const { state, read } = start()
    await read('a', 'old')
    state.version = 2
    expect(await read('a', 'new')).toBe('new')
    expect(await read('a', 'newer')).toBe('new')
  })

  it('asks anew when a value has the largest age', async () => {
    const { read } = start({ ageMs: 1 })
    await read('a', 'old')
    await eventually(async () => expect(await read('a', 'new')).toBe('new'))
  })

  it('keeps no answer during which something changed', async () => {
    const { state, cache, read } = start()
    const answer = await cache.get('a', async () => {
      state.version = 2
      return Buffer.from('old')
    })
    expect(answer.toString()).toBe('old')
    expect(await read('a', 'new')).toBe('new')
  })

  it('neither uses nor keeps anything without the lease, and remembers what did not change', async () => {
    const { state, read } = start()
    await read('a', 'old')
    state.held = false
    expect(await read('a', 'new')).toBe('new')
    expect(await read('b', 'first')).toBe('first')
    state.held = true
    expect(await read('b', 'second')).toBe('second')
    expect(await read('a', 'newer')).toBe('old')
    state.version = 2
    expect(await read('a', 'newer')).toBe('newer')
  })

  it('is bounded in entries and in bytes', async () => {
    const few = start({ entries: 2 })
    for (const key of ['a', 'b', 'c', 'a']) await few.read(key)
    expect(few.asked()).toBe(4)
    const small = start({ bytes: 1_000 })
    for (const key of ['a', 'b', 'a']) await small.read(key, 'x'.repeat(400))
    expect(small.asked()).toBe(3)
  })
})
