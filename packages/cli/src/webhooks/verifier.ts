import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { CliError } from '../cli-error'

const SECRET = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/

/** The result of verifying a signature. */
export interface VerificationResult {
  /** Undefined without a secret. */
  readonly isRight?: boolean
  /** In a few words. */
  readonly text: string
}

/** Verifies a raw body with its headers. */
export type Verify = (body: string, headers: IncomingHttpHeaders) => VerificationResult

/** Creates a verifier for a secret in the format that Sheaf displays. Throws CliError for a malformed one. */
export function createVerifier(secret: string | undefined): Verify {
  if (secret === undefined)
    return () => ({ text: 'not verified: use --secret whsec_… to verify signatures' })
  if (!SECRET.test(secret)) throw new CliError('--secret must be whsec_ followed by base64', 2)
  const webhook = new Webhook(secret)
  return (body, headers) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
      return { isRight: true, text: 'valid' }
    } catch (error) {
      // What is signed need not be JSON; a body that is none is told of by itself.
      if ((error as Error).name === 'SyntaxError') return { isRight: true, text: 'valid' }
      return { isRight: false, text: `INVALID: ${(error as Error).message}` }
    }
  }
}
