import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'

/** Installs the packages of the lock file that are for this platform, as npm does. */
const NPM = `#!${process.execPath}
const { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } = require('node:fs')
appendFileSync('installs', process.argv[2] + ' ')
rmSync('node_modules', { recursive: true, force: true })
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const made = Object.entries(packages).filter(([, { os }]) => os === undefined)
for (const [folder] of made.filter(([, { link }]) => !link)) mkdirSync(folder, { recursive: true })
for (const [folder, { link, resolved }] of made) if (link) symlinkSync('../' + resolved, folder)
writeFileSync('node_modules/better-sqlite3/index.js', 'module.exports = class { close() {} }')
writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: Object.fromEntries(made) }))
`
const packages = {
  'node_modules/better-sqlite3': { version: '12.0.0' },
  'node_modules/of-another-platform': { version: '1.0.0', optional: true, os: ['aix'] },
  'node_modules/gateway': { resolved: 'gateway', link: true },
  gateway: { version: '0.1.0' },
  'gateway/node_modules/cookie': { version: '1.0.0' },
}

/** Creates a checkout with a lock file, whose `npm` records its calls. */
async function createCheckout() {
  const folder = await tempDir()
  const at = (path: string) => join(folder.path, path)
  await Promise.all(['scripts', 'bin'].map((name) => mkdir(at(name))))
  await copyFile(join(__dirname, '../scripts/setup.js'), at('scripts/setup.js'))
  await writeFile(at('bin/npm'), NPM)
  await chmod(at('bin/npm'), 0o755)
  const lock = (of: object) => writeFile(at('package-lock.json'), JSON.stringify({ packages: of }))
  await lock(packages)
  return {
    at,
    lock,
    /** Returns the calls of npm so far. */
    setup: async () => {
      const env = { ...process.env, PATH: at('bin') + delimiter + process.env.PATH }
      const { status, stderr } = spawnSync(process.execPath, [at('scripts/setup.js')], { env })
      expect([status, stderr.toString()]).toEqual([0, ''])
      return (await readFile(at('installs'), 'utf8')).trim().split(' ')
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

type Checkout = Awaited<ReturnType<typeof createCheckout>>

describe('make setup', () => {
  it('installs once, also when a branch with the same lock file is checked out', async () => {
    await using checkout = await createCheckout()
    expect(await checkout.setup()).toEqual(['ci'])
    expect(await checkout.setup()).toEqual(['ci'])
    await checkout.lock(packages)
    expect(await checkout.setup()).toEqual(['ci'])
  })

  it.each<[string, (checkout: Checkout) => Promise<unknown>]>([
    [
      'the lock file has a further optional package',
      ({ lock }) =>
        lock({ ...packages, 'node_modules/added': { version: '1.0.0', optional: true } }),
    ],
    [
      'a workspace has moved',
      async ({ lock, at }) => {
        const { gateway, ...others } = packages
        await rename(at('gateway'), at('door'))
        await lock({
          ...others,
          door: gateway,
          'node_modules/gateway': { resolved: 'door', link: true },
        })
      },
    ],
    ['a link leads nowhere', ({ at }) => rename(at('gateway'), at('door'))],
    [
      'packages of a workspace were removed',
      ({ at }) => rm(at('gateway/node_modules'), { recursive: true }),
    ],
    [
      'another package was installed by hand',
      ({ at }) => writeFile(at('node_modules/.package-lock.json'), '{"packages":{}}'),
    ],
    ['the last install was interrupted', ({ at }) => rm(at('node_modules/.installed-lock'))],
  ])('installs anew when %s', async (_, change) => {
    await using checkout = await createCheckout()
    await checkout.setup()
    await change(checkout)
    expect(await checkout.setup()).toEqual(['ci', 'ci'])
    expect(await checkout.setup()).toEqual(['ci', 'ci'])
  })
})
