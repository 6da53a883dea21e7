import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { sign } from './signature'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const now = () => Math.floor(Date.now() / 1_000)

describe('a signature', () => {
  it('is what others verify, for any body', () => {
    const secret = newSecret()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value)
        const body = Buffer.from(text)
        const timestamp = now()
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(timestamp),
          'webhook-signature': sign({ id: 'msg_1', timestamp, body }, [secret]),
        }
        const verifier = new Webhook(secret)
        expect(verifier.verify(text, headers)).toBe(value)
        expect(() => verifier.verify(`${text} `, headers)).toThrow()
        expect(() => verifier.verify(text, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
        expect(() => new Webhook(newSecret()).verify(text, headers)).toThrow()
      }),
    )
  })

  it('is made with both secrets while one replaces the other', () => {
    const secrets = [newSecret(), newSecret()]
    const timestamp = now()
    const signature = sign({ id: 'msg_1', timestamp, body: Buffer.from('[]') }, secrets)
    expect(signature.split(' ')).toHaveLength(2)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    }
    for (const secret of secrets) expect(new Webhook(secret).verify('[]', headers)).toEqual([])
  })
})
