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

/** Collections of functions for research have some ten thousand lines. */
const mostLines = 200_000

/** Reads a source that is JSON, or JSON lines: an object or a list on each line that is not empty. */
export function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  const whole = jsonFault(source.text)
  if (whole === undefined)
    return { value: [{ json: JSON.parse(source.text), text: source.text, line: 1 }], diagnostics: [] }
  const [first, second] = linesOf(source.text)
  if (first === undefined || second === undefined || !isLine(first.text)) {
    return { diagnostics: [brokenJson(source, whole)] }
  }
  const documents: FunctionDocument[] = []
  for (const { text, line } of linesOf(source.text)) {
    if (documents.length === mostLines) {
      const why = `it has more than ${mostLines} lines of JSON`
      return { diagnostics: [brokenJson(source, { line, column: 1, why })] }
    }
    const fault = jsonFault(text)
    if (fault !== undefined) return { diagnostics: [brokenJson(source, onLine(fault, line))] }
    documents.push({ json: JSON.parse(text), text, line })
  }
  return { value: documents, diagnostics: [] }
}

/** The lines that are not empty, one by one: a large text can have more of them than there is room for. */
function* linesOf(text: string): Iterable<{ readonly text: string; readonly line: number }> {
  for (let start = 0, line = 1; start <= text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const written = text.slice(start, end === -1 ? undefined : end)
    if (written.trim() !== '') yield { text: written, line }
    start = end === -1 ? text.length + 1 : end + 1
  }
}

/** Whether a text is a line of JSON lines rather than the beginning of a longer text. */
function isLine(text: string): boolean {
  return /^\s*[[{]/.test(text) && jsonFault(text) === undefined
}

function onLine(fault: JsonFault, line: number): JsonFault {
  return { ...fault, line }
}
