import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js'
import type { ServerWritableStream } from '@grpc/grpc-js'

const MESSAGES = 200
const SCRAMBLED = 0xff

/** Serializes numbers as `serializeResponse` does frames: in memory that is reused as soon as the caller returns. */
function createScratchSerializer() {
  const memory = Buffer.alloc(4)
  return (value: number): Buffer => {
    memory.writeUInt32BE(value)
    queueMicrotask(() => memory.fill(SCRAMBLED))
    return memory
  }
}

const asIs = (bytes: Buffer) => bytes
const readNumber = (bytes: Buffer) => bytes.readUInt32BE()
const path = '/test.Scratch/Count'

describe('memory that serializers reuse', () => {
  it('is copied by grpc-js before its serializer is called again', async () => {
    const server = new Server()
    const method = {
      path,
      requestStream: false,
      responseStream: true,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: createScratchSerializer(),
      responseDeserialize: readNumber,
    }
    const count = (call: ServerWritableStream<Buffer, number>) => {
      for (let value = 0; value < MESSAGES; value++) call.write(value)
      call.end()
    }
    server.addService({ count: method }, { count })
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    )
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
    try {
      const received: number[] = []
      const stream = client.makeServerStreamRequest(path, asIs, readNumber, Buffer.alloc(0))
      for await (const value of stream) received.push(value as number)
      expect(received).toEqual(Array.from({ length: MESSAGES }, (_, value) => value))
    } finally {
      client.close()
      server.forceShutdown()
    }
  })
})
