import { ExchangeResponse } from '@sheaf/protos/sheaf/transport/v1/transport'
import fc from 'fast-check'
import { decodeResponse, encodeResponse } from './replies'

const uint32 = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1), fc.constant(2 ** 32 - 1))
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((value) => Buffer.from(value))
const frames: fc.Arbitrary<ExchangeResponse> = fc.record({
  replies: fc.array(fc.record({ id: uint32, payload: bytes(300), continues: fc.boolean() })),
  completedIds: fc.array(uint32),
  failures: fc.array(
    fc.record({ id: uint32, code: fc.nat(16), message: fc.string(), details: bytes(20) }),
  ),
  draining: fc.boolean(),
})

describe('frames of the server', () => {
  it('are read by the generated code, and read what it writes', () => {
    fc.assert(
      fc.property(frames, (value) => {
        expect(ExchangeResponse.decode(encodeResponse(value))).toEqual(value)
        expect(decodeResponse(Buffer.from(ExchangeResponse.encode(value).finish()))).toEqual(value)
        expect(decodeResponse(encodeResponse(value))).toEqual(value)
      }),
    )
  })

  it('that are none are refused or read as the generated code reads them, and never read beyond their end', () => {
    fc.assert(
      fc.property(fc.oneof(bytes(40), fc.tuple(frames, fc.nat()).map(cutShort)), (value) => {
        const read = (decode: (bytes: Buffer) => ExchangeResponse) => {
          try {
            return decode(value)
          } catch {
            return 'refused'
          }
        }
        const ours = read(decodeResponse)
        if (ours !== 'refused') expect(ours).toEqual(read((got) => ExchangeResponse.decode(got)))
      }),
      { numRuns: 1_000 },
    )
    function cutShort([value, at]: [ExchangeResponse, number]): Buffer {
      const whole = encodeResponse(value)
      return whole.subarray(0, at % (whole.length + 1))
    }
  })
})
