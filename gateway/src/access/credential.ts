/** The credential that a request presents. */
export interface Credential {
  /** An API key, or the token of a browser session. */
  readonly kind: 'apiKey' | 'session'
  readonly secret: string
}
