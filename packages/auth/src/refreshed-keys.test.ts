import { generateSigningKey } from './caller-token'
import { RefreshedKeys, type RefreshTimes } from './refreshed-keys'

/** Keys of an issuer that the test rotates, and whose fetches fail while it is down. */
async function start(times: RefreshTimes) {
  const issuer = { keys: [await generateSigningKey()], isDown: false, fetches: 0 }
  const keys = new RefreshedKeys(() => {
    issuer.fetches++
    if (issuer.isDown) return Promise.reject(new Error('the issuer is down'))
    return Promise.resolve({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) })
  }, times)
  const rotate = async () => {
    issuer.keys = [await generateSigningKey()]
    return issuer.keys[0]?.kid
  }
  return { issuer, keys, rotate, kid: issuer.keys[0]?.kid }
}

afterEach(() => jest.restoreAllMocks())

/** Lets this much time pass for the keys. */
function pass(ms: number): void {
  const now = performance.now()
  jest.spyOn(performance, 'now').mockReturnValue(now + ms)
}

describe('keys of an issuer', () => {
  it('are fetched once, however many tokens come at the same time', async () => {
    const { issuer, keys, kid } = await start({ refetchMs: 1_000 })
    const found = await Promise.all([keys.find(kid), keys.find(kid), keys.find(undefined)])
    expect(found.every((resolver) => resolver !== undefined)).toBe(true)
    expect(issuer.fetches).toBe(1)
  })

  it('are fetched again for an unknown id, but not too often', async () => {
    const { issuer, keys, kid, rotate } = await start({ refetchMs: 1_000 })
    await keys.find(kid)
    const next = await rotate()
    expect(await keys.find(next)).toBeUndefined()
    pass(1_001)
    expect(await keys.find(next)).toBeDefined()
    expect(await keys.find(kid)).toBeUndefined()
    expect(issuer.fetches).toBe(2)
  })

  it('are not used beyond their age', async () => {
    const { issuer, keys, kid } = await start({ refetchMs: 1_000, keepMs: 10_000 })
    await keys.find(kid)
    issuer.isDown = true
    expect(await keys.find(kid)).toBeDefined()
    pass(10_001)
    await expect(keys.find(kid)).rejects.toThrow('the issuer is down')
  })

  it('are not fetched from an issuer that has just failed', async () => {
    const { issuer, keys, kid } = await start({ refetchMs: 1_000, retryMs: 500 })
    issuer.isDown = true
    for (let i = 0; i < 3; i++) await expect(keys.find(kid)).rejects.toThrow('the issuer is down')
    expect(issuer.fetches).toBe(1)
    issuer.isDown = false
    pass(501)
    expect(await keys.find(kid)).toBeDefined()
  })
})
