import { FolderStore } from './folder-store'
import type { ObjectStore } from './object-store'
import type { S3Settings } from './s3-store'

/** Where snapshots and attachments are kept: in a folder that all instances share, or in a bucket. */
export type StoreSettings = { readonly folder: string } | { readonly s3: S3Settings }

/** Opens the store; nothing is asked of it yet. */
export async function openObjects(settings: StoreSettings): Promise<ObjectStore> {
  if ('folder' in settings) return new FolderStore(settings.folder)
  // The SDK takes 20 MB of memory, so it is loaded only where it is used.
  const { S3Store } = await import('./s3-store.js')
  return new S3Store(settings.s3)
}
