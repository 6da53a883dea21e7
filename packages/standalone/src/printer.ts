import { renderLine, type OutputForm } from './service-output'

/** Output of the supervisor. */
export interface Printer {
  /** Prints a sentence of the supervisor. */
  say(source: string, sentence: string): void
  /** Prints a line of a service's output. */
  relay(service: string, line: string): void
  /** Prints text unchanged. */
  show(text: string): void
}

/** Creates a printer for a stream: formatted on a terminal, raw lines otherwise. */
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
