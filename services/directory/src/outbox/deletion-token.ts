import type { TokenSigner } from '@sheaf/auth/caller-token'

/** Longer than a delivery may take. */
const TOKEN_MS = 30_000

/** A token for Sheaf itself that is good for nothing but this document, of which nothing else is left. */
export async function signDeletion(
  signer: TokenSigner,
  docId: string,
  home: string,
): Promise<string> {
  const system = { userId: 0, email: '', name: '', anonymous: false, system: true } as const
  const { token } = await signer.sign({ ...system, docId, role: 'owners', home }, TOKEN_MS)
  return token
}
