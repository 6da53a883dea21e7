import { SaxesParser } from 'saxes'
import { badFile, tooMuch } from './import-errors'
import { importLimits } from './import-limits'

/** Maximum bytes without an element, a text or an end of an element. */
const MOST_SILENT_BYTES = 8 * 1024 * 1024

/** Handlers for the events of an XML file. Names are without their prefix. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * Parses XML. Only the predefined entities of XML are supported, so nothing is ever fetched or expanded.
 * Throws `invalid` when it is not well formed, and `too_large` when elements are nested too deeply or one of
 * them is too long.
 */
export async function readXml(
  name: string,
  bytes: AsyncIterable<Buffer>,
  events: XmlEvents,
): Promise<void> {
  const parser = new SaxesParser({ xmlns: false })
  let depth = 0
  let silent = 0
  parser.on('opentag', ({ name: tag, attributes }) => {
    silent = 0
    if (++depth > importLimits.depth) throw tooMuch('elements are nested too deeply', name)
    events.open?.(localName(tag), attributes)
  })
  parser.on('closetag', ({ name: tag }) => {
    silent = 0
    depth--
    events.close?.(localName(tag))
  })
  parser.on('text', (text) => {
    silent = 0
    events.text?.(text)
  })
  parser.on('cdata', (text) => {
    silent = 0
    events.text?.(text)
  })
  parser.on('error', () => {
    throw badFile('malformed XML', `${name}, line ${parser.line}`)
  })
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
    } catch {
      throw badFile('invalid UTF-8', name)
    }
  }
  for await (const chunk of bytes) {
    silent += chunk.length
    if (silent > MOST_SILENT_BYTES) throw tooMuch('an element or a text is too long', name)
    parser.write(decode(chunk))
  }
  parser.write(decode()).close()
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
