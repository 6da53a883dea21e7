import { once } from 'node:events'
import type { Command } from 'commander'
import { CliError } from '../cli-error'
import type { Terminal } from '../terminal'
import { startListener } from '../webhooks/listener'

/** Adds `webhooks listen`. */
export function addWebhooksCommands(program: Command, terminal: Terminal): void {
  program
    .command('webhooks')
    .description('tools for developing webhook receivers')
    .command('listen')
    .description('receive deliveries on this machine, print them and verify signatures')
    .argument('<port>', 'port on the loopback interface; 0 for any free port')
    .option('--secret <whsec_…>', 'signing secret of the webhook, for verifying signatures')
    .action(async (port: string, { secret }: { readonly secret?: string }) => {
      await using listener = await startListener({ port: readPort(port), secret }, terminal)
      terminal.err(`listening at ${listener.url} (any path), press Ctrl+C to stop`)
      await once(process, 'SIGINT')
    })
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new CliError(`port must be an integer from 0 to 65535: ${text}`, 2)
  return port
}
