import { Sheaf, type Call, type CallOptions, type Doc, type UploadProgress } from '@sheaf/client'
import { renewSession, server, sessionHeaders } from './session'

/** Tables of any document, whose cells are any values. */
export type AnyTables = Record<
  string,
  { id: number; read: Record<string, unknown>; write: Record<string, unknown> }
>

/** A document of any tables. */
export type AnyDoc = Doc<AnyTables>

let client: Sheaf | undefined

/** Returns the client of the server of this page, which makes calls with the session of this browser. */
export function sheaf(): Sheaf {
  client ??= new Sheaf({ ...server, headers: sessionHeaders, renew: renewSession })
  return client
}

/** Returns a document. Makes no call. */
export const docOf = (docId: string): AnyDoc => sheaf().doc<AnyTables>(docId)

/** Makes a call whose response is text. */
export function requestText(call: Call, options?: CallOptions): Promise<string> {
  return sheaf().text(call, options)
}

/** Returns the fraction of an upload that was sent, 0 to 1. */
export const fractionOf = ({ sent, total }: UploadProgress): number =>
  total === 0 ? 1 : sent / total
