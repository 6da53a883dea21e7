import type { Command } from 'commander'
import { openOperator } from '../operator'
import type { CliSettings } from '../settings'
import { signInLink } from '../sign-in-link'
import { readOperatorTarget, readPublicUrl } from '../target'
import type { Terminal } from '../terminal'

/** Adds `sign-in`. */
export function addSignInCommand(
  program: Command,
  settings: CliSettings,
  terminal: Terminal,
): void {
  program
    .command('sign-in')
    .description('print a one-time link that signs a user in to the console')
    .argument('<email>', 'email address of the user')
    .option(
      '--url <url>',
      'public URL of Sheaf (default: SHEAF_PUBLIC_URL, or Sheaf on this machine)',
    )
    .option('--json', 'print only {"url","expiresAt"}')
    .action(async (email: string, options: { url?: string; json?: boolean }) => {
      const base = await readPublicUrl(settings, options.url)
      await using operator = openOperator(await readOperatorTarget(settings))
      const { token, expiresAt } = await operator.createSignInLink(email)
      const url = signInLink(base, token)
      if (options.json) return terminal.out(JSON.stringify({ url, expiresAt }))
      terminal.out(url)
      terminal.out(
        `The link signs in ${email}, once, until ${expiresAt}. Anyone who opens it acts as that user.`,
      )
    })
}
