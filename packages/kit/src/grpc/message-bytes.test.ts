import { encodeBytes } from '@sheaf/protos/bytes'
import { ReadRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import fc from 'fast-check'

it('encodes messages with chunks so that the generated code reads them', () => {
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

      expect(ReadRecordsResponse.decode(encodeBytes(ReadRecordsResponse, message))).toEqual(message)
    }),
  )
})

it('encodes one message after the other in the same memory, each as it would be alone', () => {
  const text = fc.string({ maxLength: 3_000 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const messages = texts.map((etag) => ({
        ...ReadRecordsResponse.decode(new Uint8Array()),
        etag,
      }))
      const encoded = messages.map((message) => encodeBytes(ReadRecordsResponse, message))

      expect(encoded).toEqual(
        messages.map((message) => Buffer.from(ReadRecordsResponse.encode(message).finish())),
      )
    }),
  )
})

it('encodes what comes after a message that could not be encoded', () => {
  const message = ReadRecordsResponse.decode(new Uint8Array())
  // What comes before its value, the tag of the field, is written then.
  const broken = { ...message, seq: 'no number' as never }

  expect(() => encodeBytes(ReadRecordsResponse, broken)).toThrow()
  expect(encodeBytes(ReadRecordsResponse, message)).toHaveLength(0)
})
