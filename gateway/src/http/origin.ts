import type { Exchange } from './exchange'

/**
 * Returns scheme, host and port by which clients reach this Sheaf: those of the public URL, or else those that
 * the request was sent to.
 */
export function originOf({ request, context, cookies }: Exchange): string {
  const { publicUrl } = context.config
  if (publicUrl !== undefined) return publicUrl
  const origin = `${cookies.isSecure ? 'https' : 'http'}://${request.headers.host ?? 'localhost'}`
  return URL.canParse(origin) ? new URL(origin).origin : 'http://localhost'
}
