import { renderLine, type OutputForm } from './service-output'

/** Where the supervisor prints. */
export interface Printer {
  /** A sentence of its own. */
  say(source: string, sentence: string): void
  /** A line that a service printed. */
  relay(service: string, line: string): void
  /** Text as it is. */
  show(text: string): void
}

/** A printer to a stream: readable on a terminal, raw lines otherwise. */
export function createPrinter(stream: NodeJS.WriteStream): Printer {
  const form: OutputForm = stream.isTTY ? 'readable' : 'raw'
  const show = (text: string) => void stream.write(`${text}\n`)
  return {
    say: (source, sentence) =>
      show(form === 'raw' ? `${source} ${sentence}` : renderLine(source, sentence, form)),
    relay: (service, line) => show(renderLine(service, line, form)),
    show,
  }
}
