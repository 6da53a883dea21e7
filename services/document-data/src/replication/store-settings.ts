import type { EnvReader } from '@sheaf/kit/config'
import { FolderStore } from './folder-store'
import type { ObjectStore } from './object-store'
import type { S3Settings } from './s3-store'

/** Where snapshots and attachments are kept: in a folder that all instances share, or in a bucket. */
export type StoreSettings = { readonly folder: string } | { readonly s3: S3Settings }

const BUCKET = /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/
const PREFIX = /^[\w!.*'()-]+(?:\/[\w!.*'()-]+)*\/?$/

/** Reads the settings of the store; without a bucket, a folder is required if `isNeeded`. */
export function readStoreSettings(read: EnvReader, isNeeded: boolean): StoreSettings {
  const folder = read.optional('SHEAF_STORE_FOLDER')
  const s3 = readS3Settings(read)
  if (s3) return { s3 }
  return { folder: folder ?? (isNeeded ? read.str('SHEAF_STORE_FOLDER') : '') }
}

function readS3Settings(read: EnvReader): S3Settings | undefined {
  const bucket = read.optional('SHEAF_S3_BUCKET')
  const prefix = read.optional('SHEAF_S3_PREFIX') ?? ''
  const region = read.str('SHEAF_S3_REGION', 'us-east-1')
  const endpoint = read.optionalUrl('SHEAF_S3_ENDPOINT', ['http', 'https'])
  const accessKeyId = read.optional('SHEAF_S3_ACCESS_KEY_ID')
  const secretAccessKey = read.optionalSecret('SHEAF_S3_SECRET_ACCESS_KEY')
  if (bucket === undefined) return undefined
  if (!BUCKET.test(bucket)) read.reject('SHEAF_S3_BUCKET is not the name of a bucket')
  if (prefix !== '' && !PREFIX.test(prefix))
    read.reject("SHEAF_S3_PREFIX may have letters, digits, / and _!.*'()- only")
  const hasId = accessKeyId !== undefined
  const hasSecret = secretAccessKey !== undefined
  if (hasId !== hasSecret)
    read.reject('SHEAF_S3_ACCESS_KEY_ID and SHEAF_S3_SECRET_ACCESS_KEY are only valid together')
  return {
    bucket,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    region,
    endpoint,
    ...(hasId && hasSecret && { credentials: { accessKeyId, secretAccessKey } }),
  }
}

/** Opens the store; nothing is asked of it yet. */
export async function openObjects(settings: StoreSettings): Promise<ObjectStore> {
  if ('folder' in settings) return new FolderStore(settings.folder)
  // The SDK takes 20 MB of memory, so it is loaded only where it is used.
  const { S3Store } = await import('./s3-store.js')
  return new S3Store(settings.s3)
}
