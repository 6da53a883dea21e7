import S3rver from 's3rver'
import { tempDir } from './temp-dir'

/** A server with the API of S3 and one bucket. */
export interface S3Server extends AsyncDisposable {
  readonly settings: {
    readonly bucket: string
    readonly prefix: string
    readonly region: string
    readonly endpoint: string
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  }
}

export async function startS3Server(): Promise<S3Server> {
  const folder = await tempDir()
  const bucket = 'documents'
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  const { port } = await server.run()
  return {
    settings: {
      bucket,
      prefix: 'sheaf/',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
