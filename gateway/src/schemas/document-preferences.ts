import { isTooDeep } from '@sheaf/kit/json-depth'
import { z } from 'zod'

/** Maximum size of a patch, and of the patched preferences, in bytes of JSON. */
const MAX_BYTES = 32 * 1024

/** The caller's preferences in a document. */
export const documentPreferences = z
  .record(z.string(), z.unknown())
  .meta({ id: 'DocumentPreferences', description: 'JSON object of clients; `{}` at first' })

/** Body of changing preferences. */
export const documentPreferencesPatch = z
  .record(z.string(), z.unknown())
  .refine((value) => !isTooDeep(value), { message: 'is nested too deeply', abort: true })
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES,
    `must not exceed ${MAX_BYTES} bytes of JSON`,
  )
  .meta({
    id: 'DocumentPreferencesPatch',
    description:
      'JSON merge patch (RFC 7396): null removes a member, and other values than objects replace',
  })
