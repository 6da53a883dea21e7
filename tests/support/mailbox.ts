import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A received mail, as text. */
export interface ReceivedMail {
  readonly to: readonly string[]
  readonly text: string
}

/** An SMTP server that accepts mail for every recipient. */
export interface Mailbox extends AsyncDisposable {
  /** Value for SHEAF_SMTP_URL. */
  readonly url: string
  readonly mails: readonly ReceivedMail[]
}

/** Starts a mailbox on a free port. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ to, text: decode(Buffer.concat(chunks).toString()) })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Decodes quoted-printable text, if it is encoded. */
function decode(mail: string): string {
  if (!/^content-transfer-encoding: quoted-printable/im.test(mail)) return mail
  return mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
}
