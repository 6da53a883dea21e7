/** The address of a one-time link, at the gateway with that address. */
export function signInLink(baseUrl: string, token: string): string {
  return `${baseUrl}/sign-in/link?token=${token}`
}
