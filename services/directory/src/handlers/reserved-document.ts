import { roleToWire } from '@sheaf/auth/roles'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { CreateDocumentResponse } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { Context } from '../context'
import { TOKEN_MS } from './access-decision'
import type { ReservedDocument } from './document-reservation'

/** A reserved document, and the token with which the caller fills it; none for a system caller, which needs no other. */
export async function reservedToWire(
  ctx: Pick<Context, 'signer' | 'keyDocuments'>,
  { caller }: ServerCall,
  { docId, home, homeAddress, homeProtocol }: ReservedDocument,
): Promise<CreateDocumentResponse> {
  const role = roleToWire('owners')
  const document = {
    docId,
    role,
    home,
    homeAddress,
    homeProtocol,
    assignment: 0,
    unscopedRole: role,
  }
  if (caller.system) return { document, token: '' }
  if (caller.keyId !== undefined) ctx.keyDocuments.note({ keyId: caller.keyId, docId })
  const { token } = await ctx.signer.sign(
    {
      userId: caller.userId,
      email: caller.email,
      name: caller.name,
      anonymous: caller.anonymous,
      system: false,
      docId,
      role: 'owners',
      home,
      assignment: 0,
      scope: caller.scope,
      keyId: caller.keyId,
    },
    TOKEN_MS,
  )
  return { document, token }
}
