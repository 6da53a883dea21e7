import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { inTurn } from './in-turn'
import type { ObjectStore } from './object-store'

/**
 * Milliseconds until a connection is made; and until a request has been answered, its body and its repetitions included, so
 * that a store which stalls is soon told from one that works. Each request is tried three times.
 */
const CONNECT_MS = 2_000
const ANSWER_MS = 5_000
const ATTEMPTS = 3
/** Connections that are open at once. */
const SOCKETS = 32

/** Milliseconds for which an object is young. */
const YOUNG_MS = 3600 * 1000

/** A bucket, and how to reach it. */
export interface S3Settings {
  readonly bucket: string
  /** Begins the name of every object; empty, or ends with `/`. */
  readonly prefix: string
  readonly region: string
  /** URL of a service other than Amazon's. */
  readonly endpoint?: string
  /** Without them, the SDK looks for those of the environment, the pod or the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** For tests. */
  readonly youngMs?: number
}

/** Objects of a bucket of Amazon S3, or of a service that has its API. */
export class S3Store implements ObjectStore, Disposable {
  private readonly client: S3Client
  private readonly prefix: string
  private readonly bucket: string
  private readonly youngMs: number

  constructor({ bucket, prefix, region, endpoint, credentials, youngMs = YOUNG_MS }: S3Settings) {
    this.bucket = bucket
    this.youngMs = youngMs
    this.prefix = prefix
    this.client = new S3Client({
      region,
      credentials,
      endpoint,
      // The host names of other services rarely have the bucket in them.
      forcePathStyle: endpoint !== undefined,
      // Other services do not know all checksums; pieces carry their own.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        httpAgent: { maxSockets: SOCKETS, keepAlive: true },
        httpsAgent: { maxSockets: SOCKETS, keepAlive: true },
      },
    })
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({ ...this.at(name), Body: bytes })
    await inTime((abortSignal) => this.client.send(command, { abortSignal }))
  }

  async get(name: string): Promise<Buffer | undefined> {
    const command = new GetObjectCommand(this.at(name))
    return inTime(async (abortSignal) => {
      const found = await unlessMissing(this.client.send(command, { abortSignal }))
      if (!found?.Body) return undefined
      const body = found.Body as typeof found.Body & Readable
      abortSignal.addEventListener('abort', () => body.destroy())
      return Buffer.from(await body.transformToByteArray())
    })
  }

  async has(name: string): Promise<boolean> {
    return (await this.storedAt(name)) !== undefined
  }

  /** Stores the object again: not every service gives one that is copied onto itself a new time. */
  async touch(name: string): Promise<boolean> {
    const storedAt = await this.storedAt(name)
    if (storedAt === undefined || Date.now() - storedAt < this.youngMs)
      return storedAt !== undefined
    const bytes = await this.get(name)
    if (bytes) await this.put(name, bytes)
    return bytes !== undefined
  }

  async list(folder: string): Promise<{ name: string; storedAt: number }[]> {
    const objects: { name: string; storedAt: number }[] = []
    const where = { Bucket: this.bucket, Prefix: `${this.prefix}${folder}/` }
    let after: string | undefined
    do {
      const command = new ListObjectsV2Command({ ...where, ContinuationToken: after })
      const page = await inTime((abortSignal) => this.client.send(command, { abortSignal }))
      for (const { Key = '', LastModified } of page.Contents ?? [])
        objects.push({
          name: Key.slice(this.prefix.length),
          storedAt: LastModified?.getTime() ?? Date.now(),
        })
      after = page.NextContinuationToken
    } while (after !== undefined)
    return objects
  }

  async removeOld(name: string, before: number): Promise<void> {
    const storedAt = await this.storedAt(name)
    if (storedAt !== undefined && storedAt < before) await this.remove(name)
  }

  async removeFolder(folder: string): Promise<void> {
    const objects = await this.list(folder)
    await inTurn(objects.length, (index) => this.remove(objects[index]?.name ?? ''))
  }

  [Symbol.dispose](): void {
    this.client.destroy()
  }

  private async storedAt(name: string): Promise<number | undefined> {
    const command = new HeadObjectCommand(this.at(name))
    const found = await inTime((abortSignal) =>
      unlessMissing(this.client.send(command, { abortSignal })),
    )
    return found && (found.LastModified?.getTime() ?? Date.now())
  }

  private async remove(name: string): Promise<void> {
    const command = new DeleteObjectCommand(this.at(name))
    await inTime((abortSignal) => this.client.send(command, { abortSignal }))
  }

  private at(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket, Key: this.prefix + name }
  }
}

/** Runs a request, and fails when it is not over in time. */
async function inTime<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the bucket has not answered within ${ANSWER_MS / 1000} s`))
      ended.abort()
    }, ANSWER_MS)
  })
  try {
    return await Promise.race([run(ended.signal), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Undefined when there is no object with the name; a bucket that does not exist is an error. */
function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    const { name } = error as { readonly name?: unknown }
    // The answer to a HEAD request has no body, and so no code.
    if (name === 'NoSuchKey' || name === 'NotFound') return undefined
    throw error
  })
}
