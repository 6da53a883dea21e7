import fc from 'fast-check'
import { Metadata } from '@grpc/grpc-js'
import { AppError, codes, type ErrorCode } from '../errors'
import { decodeError, encodeError } from './wire-errors'

/** The error as a client gets it from what the server sent. */
function acrossTheWire(error: unknown): AppError {
  const { status } = encodeError(error)
  return decodeError(Object.assign<Error, object>(new Error(status.details), status))
}

describe('errors across the wire', () => {
  it('arrive as they left, whatever the code', () => {
    const code = fc.constantFrom(...(Object.keys(codes) as ErrorCode[]))
    const metadata = fc.dictionary(fc.stringMatching(/^[a-z]\w{0,8}Id$/), fc.string())
    fc.assert(
      fc.property(code, fc.string(), fc.string(), metadata, (codeName, reason, message, facts) => {
        const got = acrossTheWire(new AppError(codeName, reason, message, facts))
        expect({ ...got, message: got.message }).toMatchObject({ code: codeName, reason, message })
        expect(got.metadata).toEqual({ ...facts })
      }),
    )
  })

  it('hide the text of a bug', () => {
    const { status, isBug } = encodeError(new TypeError('secret thing'))
    expect(isBug).toBe(true)
    expect(JSON.stringify(status)).not.toContain('secret')
    expect(acrossTheWire(new TypeError('secret thing'))).toMatchObject({
      code: 'internal',
      reason: 'INTERNAL',
    })
  })

  it('hide the address that a transport error names', () => {
    const error = Object.assign(new Error('14 UNAVAILABLE: connect 10.1.2.3:99'), {
      code: 14,
      details: 'connect 10.1.2.3:99',
      metadata: new Metadata(),
    })
    expect(decodeError(error).message).not.toContain('10.1.2.3')
    expect(decodeError(error).code).toBe('unavailable')
  })
})
