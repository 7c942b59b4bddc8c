import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { jsonPlaces } from '../../schema/json/json-places.js'
import { pointerOf } from '../../schema/json/pointer.js'
import type { FunctionDocument } from './function-documents.js'

/** A part of a source: which of its documents, and the keys that lead there. */
export interface SourcePart {
  readonly document: number
  readonly keys: readonly (string | number)[]
}

/** A finding about a part of a source, before it is known on which line that stands. */
export interface SourceFinding {
  readonly finding: Diagnostic
  readonly at: SourcePart
}

/** A part inside a part. */
export function partOf({ document, keys }: SourcePart, ...more: readonly (string | number)[]): SourcePart {
  return { document, keys: [...keys, ...more] }
}

/**
 * Gives findings their places: that of the innermost part which is written in the source.
 *
 * @param file the source, as places name it
 */
export function placed(
  findings: readonly SourceFinding[],
  documents: readonly FunctionDocument[],
  file: string,
): readonly Diagnostic[] {
  const byDocument = new Map<number, SourceFinding[]>()
  for (const each of findings) {
    const others = byDocument.get(each.at.document)
    if (others === undefined) byDocument.set(each.at.document, [each])
    else others.push(each)
  }
  return documents.flatMap(({ text, line }, document) => {
    const found = byDocument.get(document) ?? []
    if (found.length === 0) return []
    const places = jsonPlaces(text, new Set(found.flatMap(({ at }) => waysTo(at.keys))))
    return found.map(({ finding, at }): Diagnostic => {
      const written = waysTo(at.keys).find((pointer) => places.has(pointer))
      const { line: below, column } = places.get(written ?? '') ?? { line: 1, column: 1 }
      return { ...finding, place: { file, line: line + below - 1, column } }
    })
  })
}

/** The pointers to a part and to all that is around it, innermost first. */
function waysTo(keys: readonly (string | number)[]): readonly string[] {
  return [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer)))
}
