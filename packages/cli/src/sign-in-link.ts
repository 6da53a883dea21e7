/** Returns the address of a one-time link at the gateway with this base address. */
export function signInLink(baseUrl: string, token: string): string {
  return `${baseUrl}/sign-in/link?token=${token}`
}
