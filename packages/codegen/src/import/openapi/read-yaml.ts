import type { Checked, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { TextLoss } from '../../schema/json/json-losses.js'
import type { Json } from '../../schema/json/json-schema.js'
import { isRounded, tallyJson } from '../../schema/json/tally-json.js'
import { brokenJson, type ImportSource } from '../read-source.js'
import type { ParsedText, PartKeys } from './read-document.js'

const tooDeep = 'it nests too deep'

/** Reads a source as YAML; the parser is loaded for the first such source. */
export async function readYaml(source: ImportSource): Promise<Checked<ParsedText>> {
  const { LineCounter, isNode, isScalar, parseDocument } = await import('yaml')
  const { text, file } = source
  const lines = new LineCounter()
  const place = (offset: number): SourcePlace => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const broken = (offset: number, why: string): Checked<ParsedText> => {
    const { line, column } = place(offset)
    return { diagnostics: [{ ...brokenJson(source, { line, column, why }), next: 'Correct the YAML, or --from.' }] }
  }
  try {
    // Below this level the parser does not tell of a second document.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true })
    const [error] = document.errors
    if (error !== undefined) return broken(error.pos[0], whyBroken(error))
    const json: unknown = document.toJS()
    const placesOf = (parts: readonly PartKeys[]): readonly SourcePlace[] =>
      parts.map((keys) => {
        for (let length = keys.length; length > 0; length -= 1) {
          const node: unknown = document.getIn(keys.slice(0, length), true)
          if (isNode(node) && node.range) return place(node.range[0])
        }
        return { file, line: 1, column: 1 }
      })
    // Keys that stand several times the parser refuses.
    const lossesIn = (copied: Json): readonly TextLoss[] =>
      tallyJson(copied).unsafe.flatMap((integer) => {
        const node: unknown = document.getIn(integer.keys, true)
        const written = isScalar(node) ? (node.source ?? '') : ''
        return isRounded(written, integer.value) ? [{ kind: 'rounded', ...integer, written }] : []
      })
    return { value: { json, lossesIn, placesOf }, diagnostics: [] }
  } catch (error) {
    // How the parser says that aliases would make too much of a small text, and how the engine says that it nests too deep.
    if (error instanceof ReferenceError) return broken(0, 'its aliases lead to too many values')
    if (error instanceof RangeError) return broken(0, tooDeep)
    throw error
  }
}

function whyBroken({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, and an import reads one'
  return code === 'RESOURCE_EXHAUSTION' ? tooDeep : `it is no YAML: ${sentence(message)}`
}

function sentence(message: string): string {
  const [first = ''] = message.split('\n')
  return first.slice(0, 1).toLowerCase() + first.slice(1).replace(/[.:]$/, '')
}
