/** Frames the lines, to separate them from the log above. */
function frame(lines: readonly string[]): string {
  const width = Math.max(...lines.map((line) => line.length))
  const body = lines.map((line) => `│  ${line.padEnd(width)}  │`)
  const edge = '─'.repeat(width + 4)
  return [`┌${edge}┐`, ...body, `└${edge}┘`].join('\n')
}

/** Data of the banner that is printed when everything is ready. */
export interface Announcement {
  readonly url: string
  readonly dataDir: string
  readonly ownerEmail: string
  /** The owner's key, if this start created it. */
  readonly ownerKey?: string
  readonly consoleUrl: string
  /** A one-time sign-in link for the owner; absent if they have too many unused ones. */
  readonly signInLink?: string
  /** Command line that invokes the operator's command. */
  readonly command: string
}

/** Renders the banner at the end of a start. */
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
      ? `${ownerEmail} has too many unused sign-in links. Create one in 15 minutes:`
      : `The console link signs in ${ownerEmail}, once, within 15 minutes. New link:`,
    `  ${command} sign-in ${ownerEmail}`,
  ]
  const another = `${command} keys create ${ownerEmail}`
  if (ownerKey === undefined)
    return frame([...lines, '', ...links, `New API key:  ${another}`, 'Press Ctrl+C to stop'])
  return frame([
    ...lines,
    `Owner    ${ownerEmail}`,
    `API key  ${ownerKey}`,
    '',
    ...links,
    'The key is not shown again. New key:',
    `  ${another}`,
    'Try it, with the key in $KEY:',
    `  curl -H "Authorization: Bearer $KEY" ${url}/api/orgs`,
    'Press Ctrl+C to stop',
  ])
}
