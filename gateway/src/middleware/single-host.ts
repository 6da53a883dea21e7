import { AppError } from '@sheaf/kit/errors'
import type { Stage } from '../http/exchange'

const HOST = /^host$/i

/**
 * Rejects requests with several Host headers: proxies and servers choose different ones, so that one of them
 * could address another site than was authorized. Throws AppError `invalid`.
 */
export const singleHost: Stage = ({ request: { rawHeaders } }) => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (HOST.test(rawHeaders[i] ?? '')) hosts++
  if (hosts > 1)
    throw new AppError('invalid', 'INVALID_HEADER', 'the Host header must not be repeated')
  return false
}
