import { runCli } from './program'

const watched = process.stderr.isTTY ? process.stderr : undefined

void runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  terminal: {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    progress: watched,
  },
}).then((exitCode) => {
  process.exitCode = exitCode
})
