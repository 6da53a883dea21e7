import { denoArguments, findDeno, NO_DENO } from './deno'

/** Runs with another platform as Node reports it. */
function onPlatform<T>(platform: string, arch: string, run: () => T): T {
  const own = { platform: process.platform, arch: process.arch }
  const set = (values: object) =>
    Object.entries(values).forEach(([name, value]) =>
      Object.defineProperty(process, name, { value }),
    )
  set({ platform, arch })
  try {
    return run()
  } finally {
    set(own)
  }
}

describe('Deno', () => {
  it('is the one that npm installed', () => {
    expect(findDeno()?.program).toMatch(/\/node_modules\/@deno\/[\w-]+\/deno$/)
    expect(findDeno()?.version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it.each([
    ['win32', 'x64'],
    ['freebsd', 'x64'],
    ['linux', 'riscv64'],
  ])('is missing on %s %s', (platform, arch) => {
    expect(onPlatform(platform, arch, findDeno)).toBeUndefined()
    expect(NO_DENO).toContain('Deno')
  })

  it('gets no permission but to read its folder', () => {
    const args = denoArguments('/runtime', 'main.js', ['--a', '--b=1'])
    expect(args.filter((arg) => /^(--?allow|-[A-Z])/.test(arg))).toEqual(['--allow-read=/runtime'])
    expect(args).toEqual(
      expect.arrayContaining(['--no-prompt', '--no-remote', '--no-npm', '--no-config']),
    )
    expect(args).toContain('--v8-flags=--a,--b=1')
    expect(args.slice(-2)).toEqual(['/runtime/main.js', '/runtime'])
  })
})
