const sentences: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|ENODATA|EAI_\w+|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME)$/, 'unknown host'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'connection reset'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/, 'host unreachable'],
  [/^ETIMEDOUT$/, 'connection timed out'],
  [/^HPE_HEADER_OVERFLOW$/, 'the response headers are too long'],
  [/^HPE_/, 'the response is not valid HTTP'],
  [
    /^(ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE)$/,
    'authorization is not a valid header value',
  ],
  [
    /^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/,
    'TLS handshake failed',
  ],
]

/**
 * Describes why a request failed, in a few words for the owner of its webhook, without addresses, headers or
 * details of this machine.
 */
export function describeFault(error: unknown): string {
  const code = readFaultCode(error)
  const [, sentence = 'request failed'] = sentences.find(([form]) => form.test(code)) ?? []
  return code === '' ? sentence : `${sentence} (${code})`
}

/** Returns the code of a Node.js error; empty without one. */
export function readFaultCode(error: unknown): string {
  const { code } = typeof error === 'object' && error !== null ? (error as { code?: unknown }) : {}
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : ''
}
