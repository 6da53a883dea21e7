import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { CliError } from '../cli-error'

const SECRET = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/

/** What can be said of a signature. */
export interface VerificationResult {
  /** Undefined when there is no secret to check with. */
  readonly isRight?: boolean
  /** In a few words. */
  readonly text: string
}

/** Checks a body, as it came, with its headers. */
export type Verify = (body: string, headers: IncomingHttpHeaders) => VerificationResult

/** A check with a secret as Sheaf shows it. Throws CliError when it is none. */
export function createVerifier(secret: string | undefined): Verify {
  if (secret === undefined)
    return () => ({ text: 'not checked: --secret whsec_… checks signatures' })
  if (!SECRET.test(secret)) throw new CliError('--secret takes whsec_ and base64', 2)
  const webhook = new Webhook(secret)
  return (body, headers) => {
    try {
      webhook.verify(body, headers as Record<string, string>)
      return { isRight: true, text: 'right' }
    } catch (error) {
      // What is signed need not be JSON; a body that is none is told of by itself.
      if ((error as Error).name === 'SyntaxError') return { isRight: true, text: 'right' }
      return { isRight: false, text: `WRONG: ${(error as Error).message}` }
    }
  }
}
