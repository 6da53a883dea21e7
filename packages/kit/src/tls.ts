import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import {
  credentials,
  experimental,
  ServerCredentials,
  type ChannelCredentials,
} from '@grpc/grpc-js'
import { ConfigError, type EnvReader } from './config'
import { createLogger } from './logger'

/** Interval of the check for renewed certificates; a cluster renews them weeks before they expire. */
const REFRESH_MS = 60_000

/** PEM files with which the processes of one Sheaf authenticate each other. */
export interface TlsFiles {
  /** The certificate of this process, with intermediate certificates. */
  readonly cert: string
  /** Its private key. */
  readonly key: string
  /** The certificate of the authority that signed the certificates of all processes. */
  readonly ca: string
}

/** Reads the three file names; undefined when none is set and calls between processes are not encrypted. */
export function readTlsFiles(read: EnvReader): TlsFiles | undefined {
  const names = { cert: 'SHEAF_TLS_CERT', key: 'SHEAF_TLS_KEY', ca: 'SHEAF_TLS_CA' }
  const given = Object.values(names).map((name) => read.optional(name))
  if (given.every((name) => name === undefined)) return undefined
  return { cert: read.str(names.cert), key: read.str(names.key), ca: read.str(names.ca) }
}

/** Credentials of a channel: presents the certificate, and requires one of that authority for the name it calls. */
export function channelCredentials(files: TlsFiles | undefined): ChannelCredentials {
  if (files === undefined) return credentials.createInsecure()
  const provider = openTls(files)
  return experimental.createCertificateProviderChannelCredentials(provider, provider)
}

/** Credentials of a server: accepts only clients with a certificate of that authority. */
export function serverCredentials(files: TlsFiles | undefined): ServerCredentials {
  if (files === undefined) return ServerCredentials.createInsecure()
  const provider = openTls(files)
  return experimental.createCertificateProviderServerCredentials(provider, provider, true)
}

interface Material {
  readonly certificate: Buffer
  readonly privateKey: Buffer
  readonly caCertificate: Buffer
}

const opened = new Map<string, Certificates>()

/** Opens these files and watches them for changes. Throws ConfigError when they cannot be used. */
export function openTls(files: TlsFiles): Certificates {
  const key = JSON.stringify(files)
  const known = opened.get(key) ?? new Certificates(files)
  opened.set(key, known)
  return known
}

/**
 * The certificates of this process. Renewed certificates apply to new connections; open connections continue. Files that do
 * not match each other, as when only one of them has been written yet, are ignored.
 */
class Certificates implements experimental.CertificateProvider {
  private readonly log = createLogger('tls')
  private readonly identity = new Set<experimental.IdentityCertificateUpdateListener>()
  private readonly authority = new Set<experimental.CaCertificateUpdateListener>()
  private latest: Material
  private hasFailed = false

  constructor(private readonly files: TlsFiles) {
    try {
      this.latest = this.read()
    } catch (error) {
      const { message } = error as Error
      throw new ConfigError([`SHEAF_TLS_CERT, SHEAF_TLS_KEY and SHEAF_TLS_CA: ${message}`])
    }
    setInterval(() => this.refresh(), REFRESH_MS).unref()
  }

  /** Reloads the files if they have changed. Never throws. */
  refresh(): void {
    try {
      const material = this.read()
      this.hasFailed = false
      if (isSame(material, this.latest)) return
      this.latest = material
      for (const listener of this.authority) listener(material)
      for (const listener of this.identity) listener(material)
      this.log.info('certificates reloaded')
    } catch (error) {
      if (!this.hasFailed)
        this.log.error({ err: error }, 'the new certificates are unusable, keeping the old ones')
      this.hasFailed = true
    }
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.authority.add(listener)
    // The caller attaches its own listeners only after this returns.
    queueMicrotask(() => listener(this.latest))
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.authority.delete(listener)
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.identity.add(listener)
    queueMicrotask(() => listener(this.latest))
  }

  removeIdentityCertificateListener(
    listener: experimental.IdentityCertificateUpdateListener,
  ): void {
    this.identity.delete(listener)
  }

  private read(): Material {
    const material = {
      certificate: readFileSync(this.files.cert),
      privateKey: readFileSync(this.files.key),
      caCertificate: readFileSync(this.files.ca),
    }
    const { certificate: cert, privateKey: key, caCertificate: ca } = material
    createSecureContext({ cert, key, ca }) // throws when the key is another certificate's
    return material
  }
}

function isSame(one: Material, other: Material): boolean {
  return (
    one.certificate.equals(other.certificate) &&
    one.privateKey.equals(other.privateKey) &&
    one.caCertificate.equals(other.caCertificate)
  )
}
