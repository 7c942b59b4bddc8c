import type { Checked } from '../../diagnostics/diagnostic.js'
import { type JsonFault, jsonFault } from '../json-fault.js'
import { brokenJson, type ImportSource } from '../read-source.js'

/** A JSON text of a source: all of it, or one of its lines. */
export interface FunctionDocument {
  readonly json: unknown
  readonly text: string
  /** The line of the source on which it begins, 1-based. */
  readonly line: number
}

/** Reads a source that is JSON, or JSON lines: an object or a list on each line that is not empty. */
export function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  const whole = jsonFault(source.text)
  if (whole === undefined)
    return { value: [{ json: JSON.parse(source.text), text: source.text, line: 1 }], diagnostics: [] }
  const lines = source.text
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '')
  const [first, second] = lines
  if (first === undefined || second === undefined || !isLine(first.text)) {
    return { diagnostics: [brokenJson(source, whole)] }
  }
  const documents: FunctionDocument[] = []
  for (const { text, line } of lines) {
    const fault = jsonFault(text)
    if (fault !== undefined) return { diagnostics: [brokenJson(source, onLine(fault, line))] }
    documents.push({ json: JSON.parse(text), text, line })
  }
  return { value: documents, diagnostics: [] }
}

/** Whether a text is a line of JSON lines rather than the beginning of a longer text. */
function isLine(text: string): boolean {
  return /^\s*[[{]/.test(text) && jsonFault(text) === undefined
}

function onLine(fault: JsonFault, line: number): JsonFault {
  return { ...fault, line }
}
