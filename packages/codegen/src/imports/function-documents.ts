import { elementAt } from '../defined.js'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { jsonError } from '../schema/json-error.js'
import { isObject, own } from '../schema/json-schema.js'
import { isImported } from './imported-files.js'
import { jsonPartLocations } from './json-source.js'
import { type ImportSource, invalidText } from './sources.js'

export function recordedSource(text: string): string | undefined {
  const [snapshot] = isImported(text) ? snapshotDocuments(text) : []
  const from = isObject(snapshot?.json) ? own(snapshot.json, 'from') : undefined
  return typeof from === 'string' ? from : undefined
}

export interface FunctionDocument {
  readonly json: unknown
  readonly text: string
  readonly line: number
}

/** Large data sets of functions have about ten thousand lines. */
const maxLines = 200_000

export function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  // Does not limit the nesting: a schema that is nested too deeply must only exclude its own function.
  const errorIn = (text: string) => jsonError(text, Number.POSITIVE_INFINITY)
  const whole = errorIn(source.text)
  if (whole === undefined) {
    return { value: [{ json: JSON.parse(source.text), text: source.text, line: 1 }], diagnostics: [] }
  }
  const [first, second] = linesOf(source.text)
  const isLine = first !== undefined && /^\s*[[{]/.test(first.text) && errorIn(first.text) === undefined
  if (!isLine || second === undefined) return { diagnostics: [invalidText(source, whole)] }
  const documents: FunctionDocument[] = []
  for (const { text, line } of linesOf(source.text)) {
    const tooMany = { column: 1, why: `it has more than ${maxLines} lines of JSON` }
    const error = documents.length === maxLines ? tooMany : errorIn(text)
    if (error !== undefined) return { diagnostics: [invalidText(source, { ...error, line })] }
    documents.push({ json: JSON.parse(text), text, line })
  }
  return { value: documents, diagnostics: [] }
}

export function snapshotDocuments(text: string): readonly FunctionDocument[] {
  return functionDocuments({ text, file: '', shown: '' }).value ?? []
}

/** Yields the lines one by one, because an array of all lines may not fit into memory. */
function* linesOf(text: string): Iterable<{ readonly text: string; readonly line: number }> {
  for (let start = 0, line = 1; start <= text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const written = text.slice(start, end === -1 ? undefined : end)
    if (written.trim() !== '') yield { text: written, line }
    start = end === -1 ? text.length + 1 : end + 1
  }
}

export type Keys = readonly (string | number)[]

export interface PartDiagnostic {
  readonly diagnostic: Diagnostic
  readonly document: number
  readonly keys: Keys
}

export function located(
  all: readonly PartDiagnostic[],
  documents: readonly FunctionDocument[],
  file: string,
): readonly Diagnostic[] {
  const byDocument = new Map<number, PartDiagnostic[]>()
  for (const each of all) {
    const others = byDocument.get(each.document)
    if (others === undefined) byDocument.set(each.document, [each])
    else others.push(each)
  }
  return documents.flatMap(({ text, line: first }, document) => {
    const found = byDocument.get(document) ?? []
    const locations = jsonPartLocations(
      text,
      found.map(({ keys }) => keys),
    )
    return found.map(({ diagnostic }, index) => {
      const { line, column } = elementAt(locations, index)
      return { ...diagnostic, location: { file, line: first + line - 1, column } }
    })
  })
}
