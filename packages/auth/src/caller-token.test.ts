import {
  createTokenSigner,
  createTokenVerifier,
  generateSigningKey,
  type CallerClaims,
} from './caller-token'

const alice: CallerClaims = {
  userId: 7,
  email: 'alice@example.com',
  name: 'Alice',
  anonymous: false,
  system: false,
  docId: 'd1',
  role: 'owners',
  home: 'h1',
}

async function authority() {
  const key = await generateSigningKey()
  let fetches = 0
  const verifier = createTokenVerifier(async () => {
    fetches++
    return { keys: [key.publicJwk] }
  })
  return { key, signer: await createTokenSigner(key), verifier, fetches: () => fetches }
}

describe('caller tokens', () => {
  it('carry their claims', async () => {
    const { signer, verifier } = await authority()
    const { token, expiresAt } = await signer.sign(alice, 30_000)
    expect(await verifier.verify(token)).toEqual({ ...alice, expiresAt })
  })

  it('are verified without looking up the key a second time', async () => {
    const { signer, verifier, fetches } = await authority()
    const { token } = await signer.sign(alice, 30_000)
    await verifier.verify(token)
    expect(verifier.verify(token)).toMatchObject({ userId: 7 })
    expect(fetches()).toBe(1)
  })

  it('are rejected after they have expired', async () => {
    const { signer, verifier } = await authority()
    const { token } = await signer.sign(alice, -1_000)
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('are rejected when a character has changed', async () => {
    const { signer, verifier } = await authority()
    const { token } = await signer.sign(alice, 30_000)
    const [head = '', body = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: '8' })).toString('base64url')
    for (const bad of [[head, forged, signature].join('.'), `${head}.${body}.`, 'x', '', '..'])
      await expect(Promise.resolve().then(() => verifier.verify(bad))).rejects.toMatchObject({
        code: 'unauthenticated',
      })
  })

  it('are rejected when signed with another key, even under the same key id', async () => {
    const { key, verifier } = await authority()
    const other = await createTokenSigner({ ...(await generateSigningKey()), kid: key.kid })
    const { token } = await other.sign(alice, 30_000)
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('are rejected without a signature algorithm', async () => {
    const { verifier, key } = await authority()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const exp = Math.floor(Date.now() / 1000) + 60
    const token = `${part({ alg: 'none', kid: key.kid })}.${part({ iss: 'sheaf-directory', sub: '7', exp })}.`
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('are not extended by setting the clock back', async () => {
    const { signer, verifier } = await authority()
    const before = await signer.sign(alice, 30_000)
    await verifier.verify(before.token)
    const realNow = Date.now
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000)
    try {
      expect(() => verifier.verify(before.token)).toThrow('a valid caller token is required')
      const after = await signer.sign(alice, 30_000)
      expect(await verifier.verify(after.token)).toMatchObject({ userId: 7 })
    } finally {
      jest.restoreAllMocks()
    }
  })
})
