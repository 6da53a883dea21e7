import { createHash } from 'node:crypto'
import { PAST_AND_CAPS } from '@sheaf/auth/require-protocol'
import type { WriteOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import { z } from 'zod'
import { dryRunOptions } from '../documents/conditional-requests'
import type { Exchange } from '../http/exchange'
import type { ToolCall } from './tool'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The arguments of every tool that writes. */
export const writeArguments = {
  dryRun: z
    .boolean()
    .optional()
    .describe(
      'True to keep nothing: the answer says what would change, results of formulas included',
    ),
  requestId: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters')
    .optional()
    .describe(
      'Id of this change, chosen by you and unique, such as a UUID. Repeat a call whose answer was lost with the same one: the change is made once within 24 hours',
    ),
}

/** What identifies a write. */
interface WriteCall {
  readonly tool: string
  /** The arguments, by which a repetition is recognised. */
  readonly args: unknown
  readonly dryRun?: boolean | undefined
  readonly requestId?: string | undefined
}

/** Returns the options of a write; undefined when it has none. A repetition of the same call has no effect of its own. */
export function getToolWriteOptions(
  { exchange, id }: ToolCall,
  { tool, args, dryRun = false, requestId }: WriteCall,
): WriteOptions | undefined {
  if (dryRun) {
    exchange.neededProtocol = PAST_AND_CAPS
    return dryRunOptions
  }
  const name = repetitionId(id, requestId)
  if (name === undefined) return undefined
  const idempotencyKey = `mcp-${hash(`${ownerOf(exchange)}\n${name}`).toString('base64url')}`
  const requestDigest = hash(JSON.stringify([tool, args]))
  return { ifMatch: [], strict: false, dryRun, idempotencyKey, requestDigest }
}

/**
 * The id by which a repetition is recognised: `requestId`, or the JSON-RPC id if it is a UUID. Most clients count their
 * requests from 0 in each session, so that the same number soon names another change.
 */
export function repetitionId(id: string | number, requestId?: string): string | undefined {
  if (requestId !== undefined) return requestId
  return typeof id === 'string' && UUID.test(id) ? id.toLowerCase() : undefined
}

/** Whose ids of repetitions they are: those of the key. An access token is renewed often, so it is the user then. */
function ownerOf({ credential, userId }: Exchange): string {
  return credential?.kind === 'accessToken' ? `user ${userId}` : (credential?.secret ?? '')
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
