import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { relayMessages } from '../mcp/relay'
import type { CliSettings } from '../settings'
import { readRestTarget } from '../target'
import type { Terminal } from '../terminal'

/** Adds `mcp`, which uses only the public REST API. */
export function addMcpCommand(program: Command, settings: CliSettings, terminal: Terminal): void {
  program
    .command('mcp')
    .description('serve the tools for agents (MCP) on standard input and output, to local programs')
    .option('--url <url>', 'URL of Sheaf (default: SHEAF_URL, or Sheaf on this machine)')
    .option('--key <key>', 'API key of the agent (default: SHEAF_API_KEY)')
    .action(async (options: { url?: string; key?: string }) => {
      const endpoint = await readRestTarget(settings, options)
      const lines = createInterface({ input: process.stdin, crlfDelay: Infinity })
      await relayMessages(lines, (line) => terminal.out(line), endpoint)
    })
}
