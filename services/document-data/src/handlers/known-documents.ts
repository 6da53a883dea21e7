import { resolveSystemAccess } from '@sheaf/auth/system-token'
import { toAppError } from '@sheaf/kit/errors'
import type { Context } from '../context'

/** Whether directory has a document: it exists, or is reserved, and was not deleted for good. Throws when directory is away. */
export async function isKnown(
  { access, serviceKey }: Pick<Context, 'access' | 'serviceKey'>,
  docId: string,
): Promise<boolean> {
  try {
    await resolveSystemAccess(access, serviceKey, docId)
    return true
  } catch (error) {
    if (toAppError(error)?.code === 'not_found') return false
    throw error
  }
}
