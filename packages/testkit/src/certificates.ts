import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TlsFiles } from '@sheaf/kit/tls'
import { generate } from 'selfsigned'

/** A certificate authority. */
export interface Authority {
  readonly key: string
  readonly cert: string
}

const name = (value: string) => [{ name: 'commonName', value }]
const options = { keyType: 'ec', algorithm: 'sha256' } as const

/** Creates an authority. */
export async function createAuthority(): Promise<Authority> {
  const { private: key, cert } = await generate(name('authority'), {
    ...options,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return { key, cert }
}

/**
 * Writes certificate, key and CA of a process below `folder`, with a new certificate for these names and for
 * 127.0.0.1.
 */
export async function writeCertificate(
  folder: string,
  authority: Authority,
  names: readonly string[] = [],
): Promise<TlsFiles> {
  const { private: key, cert } = await generate(name('process'), {
    ...options,
    ca: authority,
    extensions: [
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          { type: 7 as const, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  const files = {
    cert: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
    ca: join(folder, 'ca.crt'),
  }
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  writeFileSync(files.ca, authority.cert)
  return files
}
