import { docPath } from './paths'
import { sessionHeaders } from './session'
import { sheaf } from './sheaf'

/**
 * Merges a JSON merge patch into the user's preferences in a document. With `isLeaving`, the request is sent once, and goes on
 * when the page is closed.
 */
export async function saveDocPreferences(
  docId: string,
  patch: object,
  isLeaving: boolean,
): Promise<void> {
  const path = `${docPath(docId)}/preferences`
  if (!isLeaving) return void (await sheaf().request({ method: 'PATCH', path, json: patch }))
  const { ok, status } = await fetch(path, {
    method: 'PATCH',
    headers: { ...sessionHeaders(), 'Content-Type': 'application/json' },
    body: JSON.stringify(patch),
    keepalive: true,
  })
  if (!ok) throw new Error(`preferences were not stored: status ${status}`)
}
