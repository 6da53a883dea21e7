/** What a request shows of who makes it. */
export interface Credential {
  /** An API key, or the token of a browser's session. */
  readonly kind: 'apiKey' | 'session'
  readonly secret: string
}
