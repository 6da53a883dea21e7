/** Lines in a frame, so that they stand out from the log above. */
function frame(lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length))
  const body = lines.map((line) => `│  ${line.padEnd(width)}  │`)
  const edge = '─'.repeat(width + 4)
  return [`┌${edge}┐`, ...body, `└${edge}┘`].join('\n')
}

/** What the operator is told when everything is ready. */
export interface Announcement {
  readonly url: string
  readonly dataDir: string
  readonly ownerEmail: string
  /** The owner's key, if it was made just now. */
  readonly ownerKey?: string
  readonly consoleUrl: string
  /** A link that signs the owner in to the console, once; none when they have open ones enough. */
  readonly signInLink?: string
  /** How the operator's command is called. */
  readonly command: string
}

/** The block at the end of a start. */
export function announce(announcement: Announcement): string {
  const { url, dataDir, ownerEmail, ownerKey, consoleUrl, signInLink, command } = announcement
  const lines = [
    'Sheaf is ready',
    '',
    `URL      ${url}`,
    `Data     ${dataDir}`,
    `Console  ${signInLink ?? consoleUrl}`,
  ]
  const links = [
    signInLink === undefined
      ? `${ownerEmail} has many open links to sign in. Another one, in some minutes:`
      : `The console link signs ${ownerEmail} in, once, within 15 minutes. Another one:`,
    `  ${command} sign-in ${ownerEmail}`,
  ]
  const another = `${command} keys create ${ownerEmail}`
  if (ownerKey === undefined)
    return frame([...lines, '', ...links, `For an API key:  ${another}`, '^C stops it'])
  return frame([
    ...lines,
    `Owner    ${ownerEmail}`,
    `API key  ${ownerKey}`,
    '',
    ...links,
    'The key is shown only this once. Another one:',
    `  ${another}`,
    'Try it, with the key in KEY:',
    `  curl -H "Authorization: Bearer $KEY" ${url}/api/orgs`,
    '^C stops it',
  ])
}
