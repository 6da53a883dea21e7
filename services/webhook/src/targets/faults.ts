const sentences: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|ENODATA|EAI_\w+|ETIMEOUT|ESERVFAIL|EREFUSED|EBADNAME)$/, 'the host is not known'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'the connection broke off'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)$/, 'the host cannot be reached'],
  [/^ETIMEDOUT$/, 'no connection in time'],
  [/^HPE_HEADER_OVERFLOW$/, 'the headers of the answer are too long'],
  [/^HPE_/, 'what came back is no HTTP'],
  [
    /^(ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE)$/,
    'authorization cannot be sent as a header',
  ],
  [
    /^(EPROTO|ERR_SSL_|ERR_TLS_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/,
    'TLS failed',
  ],
]

/**
 * Describes why a request failed, in a few words for the owner of its webhook, without addresses, headers or
 * details of this machine.
 */
export function describeFault(error: unknown): string {
  const code = readFaultCode(error)
  const [, sentence = 'the request failed'] = sentences.find(([form]) => form.test(code)) ?? []
  return code === '' ? sentence : `${sentence} (${code})`
}

/** Returns the code of a Node.js error; empty without one. */
export function readFaultCode(error: unknown): string {
  const { code } = typeof error === 'object' && error !== null ? (error as { code?: unknown }) : {}
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : ''
}
