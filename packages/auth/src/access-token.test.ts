import { createSecretKey } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type JWTHeaderParameters, type KeyLike } from 'jose'
import { AccessTokenVerifier } from './access-token'

const AUDIENCE = 'https://sheaf.example/mcp'
const ISSUER = 'https://login.example'

/** An issuer of tokens with one key, and a verifier that trusts it. */
async function start(algorithm = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const publicJwk = { ...(await exportJWK(publicKey)), kid: 'own' }
  const verifier = new AccessTokenVerifier(AUDIENCE, () =>
    Promise.resolve({ issuer: ISSUER, keys: { keys: [publicJwk] } }),
  )
  const sign = (claims: object = {}, header: Partial<JWTHeaderParameters> = {}, key?: KeyLike) =>
    new SignJWT({
      iss: ISSUER,
      aud: AUDIENCE,
      exp: now() + 60,
      email: 'ada@example.com',
      email_verified: true,
      ...claims,
    })
      .setProtectedHeader({ alg: algorithm, kid: 'own', typ: 'at+jwt', ...header })
      .sign(key ?? privateKey)
  const verify = async (...args: Parameters<typeof sign>) => verifier.verify(await sign(...args))
  return { verifier, sign, verify }
}

const now = () => Math.floor(Date.now() / 1000)
const refused = { code: 'unauthenticated', reason: 'INVALID_ACCESS_TOKEN' }

it.each(['RS256', 'PS512', 'ES256', 'EdDSA'])(
  'a token signed by %s names its user',
  async (alg) => {
    const { verify } = await start(alg)
    const exp = now() + 60
    expect(await verify({ exp })).toEqual({ email: 'ada@example.com', expiresAt: exp * 1000 })
  },
)

it.each<[object, string]>([
  [{ aud: 'https://sheaf.example' }, `its "aud" must contain ${AUDIENCE}`],
  [{ aud: [`${AUDIENCE}/`, 'other'] }, `its "aud" must contain ${AUDIENCE}`],
  [{ aud: undefined }, `its "aud" must contain ${AUDIENCE}`],
  [{ iss: `${ISSUER}/` }, 'its "iss" is missing or wrong'],
  [{ exp: undefined }, 'its "exp" is missing or wrong'],
  [{ exp: 'never' }, 'its "exp" is missing or wrong'],
  [{ exp: now() - 1 }, 'it has expired'],
  [{ exp: now() - 3_600 }, 'it has expired'],
  [{ nbf: now() + 60 }, 'its "nbf" is missing or wrong'],
])('a token with %j is refused: %s', async (claims, fault) => {
  const { verify } = await start()
  const message = `the access token is not valid: ${fault}`
  await expect(verify(claims)).rejects.toMatchObject({ ...refused, message })
})

it('a token of a clock that is slightly ahead is accepted', async () => {
  const { verify } = await start()
  expect(await verify({ nbf: now() + 10 })).toMatchObject({ email: 'ada@example.com' })
})

it('a token whose expiry is no date is accepted until the last one', async () => {
  const { verify } = await start()
  expect(await verify({ exp: 1e300 })).toMatchObject({ expiresAt: 8.64e15 })
})

it('a token is refused unless a published key of the issuer has signed it', async () => {
  const { verifier, sign, verify } = await start()
  const { privateKey: other } = await generateKeyPair('RS256')
  await expect(verify({}, {}, other)).rejects.toMatchObject(refused)
  await expect(verify({}, { kid: 'other' })).rejects.toMatchObject(refused)
  const secret = createSecretKey(Buffer.from('x'.repeat(32)))
  await expect(verify({}, { alg: 'HS256' }, secret)).rejects.toMatchObject(refused)
  const [head = '', body = '', signature = ''] = (await sign()).split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'own' })).toString('base64url')
  const claims = Buffer.from(JSON.stringify({ iss: ISSUER, aud: AUDIENCE })).toString('base64url')
  for (const token of [
    `${none}.${body}.`,
    `${none}.${body}.${signature}`,
    `${head}.${claims}.${signature}`,
    `${head}.${body}.`,
    'a.b.c',
    '..',
  ])
    await expect(verifier.verify(token)).rejects.toMatchObject(refused)
})

it('a token of another kind is refused', async () => {
  const { verify } = await start()
  for (const typ of ['logout+jwt', 'dpop+jwt', 'secevent+jwt'])
    await expect(verify({}, { typ })).rejects.toMatchObject(refused)
  for (const typ of ['JWT', 'jwt', 'application/at+jwt', 'AT+JWT', undefined])
    expect(await verify({}, { typ })).toMatchObject({ email: 'ada@example.com' })
})

it.each<[object, string]>([
  [{ email: undefined }, 'email'],
  [{ email: '' }, 'email'],
  [{ email: ['ada@example.com'] }, 'email'],
  [{ email_verified: undefined }, 'email_verified'],
  [{ email_verified: false }, 'email_verified'],
  [{ email_verified: 'true' }, 'email_verified'],
])('a token with %j is refused, and the claim is named', async (claims, claim) => {
  const { verify } = await start()
  await expect(verify(claims)).rejects.toMatchObject({
    code: 'forbidden',
    reason: 'UNVERIFIED_EMAIL',
    metadata: { claim },
  })
})
