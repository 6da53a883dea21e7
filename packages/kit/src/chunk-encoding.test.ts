import { encodeChunks } from '@sheaf/protos/bytes'
import { ReadRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import fc from 'fast-check'

const encode = encodeChunks(ReadRecordsResponse)

it('writes messages with chunks so that the generated code reads them', () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat(70_000).map((length) => new Uint8Array(length).fill(7)),
  )
  fc.assert(
    fc.property(chunk, fc.maxSafeNat(), (bytes, seq) => {
      const message = {
        ...ReadRecordsResponse.decode(new Uint8Array()),
        seq,
        chunk: Buffer.from(bytes),
      }

      expect(ReadRecordsResponse.decode(encode(message))).toEqual(message)
    }),
  )
})
