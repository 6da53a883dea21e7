import type { Logger } from '@sheaf/kit/logger'
import type { Transporter } from 'nodemailer'

/** How mails are sent. */
export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  readonly smtpUrl: string
  /** Sender address. */
  readonly from: string
}

/** A mail in plain text. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

/** Loaded with the first mail: most gateways send none. */
const load = () => import('nodemailer')

/** Sends mails by SMTP, each over a connection of its own. */
export class Mailer {
  private transport?: Promise<Transporter>

  constructor(
    private readonly settings: MailSettings,
    private readonly log: Logger,
  ) {}

  /** Sends a mail. A failure is logged, without the mail, since no request waits for the result. */
  async send({ to, subject, text }: Mail): Promise<void> {
    try {
      // As an object it is a single address, whatever characters it contains.
      const transport = await (this.transport ??= this.open())
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    } catch (error) {
      const { code = 'UNKNOWN' } = error as { code?: string }
      this.log.warn({ reason: code }, 'failed to send a mail')
    }
  }

  private async open(): Promise<Transporter> {
    const { smtpUrl, from } = this.settings
    const { createTransport } = await load()
    const limits = {
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    }
    const closed = { disableFileAccess: true, disableUrlAccess: true }
    return createTransport({ url: smtpUrl, ...limits, ...closed }, { from })
  }
}
