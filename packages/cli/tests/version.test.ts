import { formatVersion, getVersion } from '@sheaf/kit/version'
import { runCli } from '../src/program'

it('the command prints its version', async () => {
  const out: string[] = []
  const terminal = { out: (text: string) => out.push(text), err: () => {} }
  expect(await runCli(['--version'], { env: {}, cwd: '/', terminal })).toBe(0)
  expect(out).toEqual([formatVersion(getVersion())])
})
