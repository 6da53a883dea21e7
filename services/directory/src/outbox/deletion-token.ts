import type { TokenSigner } from '@sheaf/auth/caller-token'

/** Longer than a delivery may take. */
const TOKEN_MS = 30_000

/** Signs a system token for one document only, which directory has deleted already. */
export async function signDeletion(
  signer: TokenSigner,
  docId: string,
  home: string,
): Promise<string> {
  const system = { userId: 0, email: '', name: '', anonymous: false, system: true } as const
  const { token } = await signer.sign({ ...system, docId, role: 'owners', home }, TOKEN_MS)
  return token
}
