import { once } from 'node:events'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import type { Terminal } from '../terminal'
import { startListener } from '../webhooks/listener'

/** Adds `webhooks listen`. */
export function addWebhooksCommands(program: Command, terminal: Terminal): void {
  program
    .command('webhooks')
    .description('tools for developers of receivers of webhooks')
    .command('listen')
    .description('receive deliveries on this machine, print them, and check their signatures')
    .argument('<port>', 'port on loopback; 0 takes a free one')
    .option('--secret <whsec_…>', 'secret of the webhook, which its signatures are checked with')
    .action(async (port: string, { secret }: { readonly secret?: string }) => {
      await using listener = await startListener({ port: readPort(port), secret }, terminal)
      terminal.err(`listening at ${listener.url} (every path); ^C ends it`)
      await once(process, 'SIGINT')
    })
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new CliError(`a port is a number from 0 to 65535, not ${text}`, 2)
  return port
}
