import type { Checked, SourceLocation } from '../diagnostics/diagnostic.js'
import { parseJson } from '../schema/json-error.js'
import { isRounded, jsonLosses, type TextLoss, tallyJson } from '../schema/json-losses.js'
import { isObject, type Json, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { isImported } from './imported-files.js'
import { jsonPartLocations } from './json-source.js'
import { notOpenApi } from './openapi-diagnostics.js'
import type { PartKeys } from './openapi-parts.js'
import { preparedSwagger } from './openapi-swagger.js'
import { type ImportSource, invalidText } from './sources.js'

interface OpenApiDocument {
  readonly root: SchemaObject
  readonly losses: readonly TextLoss[]
  /** True if the document was converted from version 2. Paths of losses then refer to the original document. */
  readonly isUpgraded: boolean
  /** Returns the locations of parts. If a part does not exist, returns the location of its nearest existing parent. */
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

/** Reads a document as JSON or YAML, and converts version 2 to version 3. */
export async function readDocument(source: ImportSource): Promise<Checked<OpenApiDocument>> {
  const parsed = /^\s*[[{]/.test(source.text) ? readJson(source) : await readYaml(source)
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics }
  const { json, locationsOf, lossesIn } = parsed.value
  const refused = (why: string): Checked<never> => ({ diagnostics: [notOpenApi(source.shown, why)] })
  const copied = toJson(json)
  if (!copied.ok) return refused(decapitalized(copied.message))
  if (isImported(source.text)) return refused('it is the snapshot of an import; use its source')
  const written = objectOf(copied.json)
  const root = own(written, 'swagger') === '2.0' ? await upgraded(written) : written
  if (root === undefined) return refused('it cannot be converted to version 3')
  const why = versionProblem(root)
  if (why !== undefined) return refused(why)
  const value = { root, losses: lossesIn(copied.json), isUpgraded: root !== written, locationsOf }
  return { value, diagnostics: [] }
}

interface ParsedText {
  readonly json: unknown
  lossesIn(json: Json): readonly TextLoss[]
  locationsOf(parts: readonly PartKeys[]): readonly SourceLocation[]
}

function readJson(source: ImportSource): Checked<ParsedText> {
  const { text, file } = source
  const parsed = parseJson(text)
  if ('why' in parsed) return { diagnostics: [invalidText(source, parsed)] }
  const locationsOf = (parts: readonly PartKeys[]): readonly SourceLocation[] =>
    jsonPartLocations(text, parts).map((location) => ({ file, ...location }))
  return { value: { json: parsed.json, lossesIn: (copied) => jsonLosses(text, copied), locationsOf }, diagnostics: [] }
}

function versionProblem(root: SchemaObject): string | undefined {
  const [openapi, swagger] = [own(root, 'openapi'), own(root, 'swagger')]
  const version = openapi ?? swagger
  if (version === undefined) return 'it has neither `openapi` nor `swagger`'
  if (typeof version === 'number') {
    const example = openapi === undefined ? "swagger: '2.0'" : "openapi: '3.1.0'"
    return `its version is a number: add quotes, as in \`${example}\``
  }
  if (typeof openapi !== 'string') return `its version is \`${JSON.stringify(version)}\``
  if (!/^3\.[0-2](?:\.|$)/.test(openapi)) return `its version is \`${openapi}\``
  return isObject(own(root, 'paths')) ? undefined : 'it has no `paths`'
}

function decapitalized(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

const tooDeep = 'it is nested too deeply'

async function readYaml(source: ImportSource): Promise<Checked<ParsedText>> {
  const { LineCounter, isNode, isScalar, parseDocument } = await import('yaml')
  const { text, file } = source
  const lines = new LineCounter()
  const location = (offset: number): SourceLocation => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const broken = (offset: number, why: string): Checked<ParsedText> => {
    const { line, column } = location(offset)
    return { diagnostics: [invalidText(source, { line, column, why }, 'YAML')] }
  }
  try {
    // With the log level `silent`, the parser would ignore a second document instead of reporting an error.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true })
    const [error] = document.errors
    if (error !== undefined) return broken(error.pos[0], whyBroken(error))
    const json: unknown = document.toJS()
    const locationsOf = (parts: readonly PartKeys[]): readonly SourceLocation[] =>
      parts.map((keys) => {
        for (let length = keys.length; length > 0; length -= 1) {
          const node: unknown = document.getIn(keys.slice(0, length), true)
          if (isNode(node) && node.range) return location(node.range[0])
        }
        return { file, line: 1, column: 1 }
      })
    // Duplicate keys need no check here, because the parser rejects them.
    const lossesIn = (copied: Json): readonly TextLoss[] =>
      tallyJson(copied).unsafe.flatMap((integer) => {
        const node: unknown = document.getIn(integer.keys, true)
        const written = isScalar(node) ? (node.source ?? '') : ''
        return isRounded(written, integer.value) ? [{ kind: 'rounded', ...integer, written }] : []
      })
    return { value: { json, lossesIn, locationsOf }, diagnostics: [] }
  } catch (error) {
    // The parser throws a ReferenceError for aliases with too many values, and the engine a RangeError for too many levels.
    if (error instanceof ReferenceError) return broken(0, 'its aliases expand to too many values')
    if (error instanceof RangeError) return broken(0, tooDeep)
    throw error
  }
}

function whyBroken({ code, message }: { readonly code: string; readonly message: string }): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here, but an import reads only one'
  return code === 'RESOURCE_EXHAUSTION'
    ? tooDeep
    : `it is not YAML: ${decapitalized(message.split('\n')[0] ?? '').replace(/[.:]$/, '')}`
}

async function upgraded(document: SchemaObject): Promise<SchemaObject | undefined> {
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  try {
    const copied = toJson(upgradeFromTwoToThree({ ...preparedSwagger(document) }))
    return copied.ok && isObject(copied.json) ? copied.json : undefined
  } catch {
    // The converter throws errors without a reason for incomplete documents.
    return undefined
  }
}
