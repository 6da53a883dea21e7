import type { IncomingHttpHeaders } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { CliError } from '../cli-error'

const SECRET = /^whsec_[A-Za-z\d+/]{16,}={0,2}$/

/** What can be said of a signature. */
export interface Verdict {
  /** Undefined when there is no secret to check with. */
  readonly isRight?: boolean
  /** In a few words. */
  readonly text: string
}

/** Checks a body, as it came, with its headers. */
export type Verify = (body: string, headers: IncomingHttpHeaders) => Verdict

/** A check with a secret as Sheaf shows it. Throws CliError when it is none. */
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
