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
  /** How the operator's command is called. */
  readonly command: string
}

/** The block at the end of a start. */
export function announce({ url, dataDir, ownerEmail, ownerKey, command }: Announcement): string {
  const lines = ['Sheaf is ready', '', `URL      ${url}`, `Data     ${dataDir}`]
  const another = `${command} keys create ${ownerEmail}`
  if (ownerKey === undefined)
    return frame([...lines, '', `For an API key:  ${another}`, '^C stops it'])
  return frame([
    ...lines,
    `Owner    ${ownerEmail}`,
    `API key  ${ownerKey}`,
    '',
    'The key is shown only this once. Another one:',
    `  ${another}`,
    'Try it, with the key in KEY:',
    `  curl -H "Authorization: Bearer $KEY" ${url}/api/orgs`,
    '^C stops it',
  ])
}
