import type { Checked, SourcePlace } from '../../diagnostics/diagnostic.js'
import { isObject, own } from '../../schema/json/json.js'
import { jsonLosses, type TextLoss } from '../../schema/json/json-losses.js'
import { jsonPlaces } from '../../schema/json/json-places.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'
import { toJson } from '../../schema/json/to-json.js'
import { isImported } from '../import-names.js'
import { jsonFault } from '../json-fault.js'
import { brokenJson, type ImportSource } from '../read-source.js'
import { noOpenApi } from './openapi-diagnostics.js'
import { readYaml } from './read-yaml.js'
import { preparedSwagger } from './swagger-two.js'

/** The keys that lead to a part of a document. */
export type PartKeys = readonly (string | number)[]

/** An OpenAPI document of version 3, whatever it was before. */
export interface OpenApiDocument {
  readonly root: SchemaObject
  /** What reading its text has lost. */
  readonly losses: readonly TextLoss[]
  /** Whether it was brought up to version 3: then the keys of its losses are those of the older one. */
  readonly isUpgraded: boolean
  /** Where parts are written: of each the innermost part around it that is. */
  placesOf(parts: readonly PartKeys[]): readonly SourcePlace[]
}

/** Reads a document as JSON or YAML, and brings one of version 2 up to version 3. */
export async function readDocument(source: ImportSource): Promise<Checked<OpenApiDocument>> {
  const parsed = /^\s*[[{]/.test(source.text) ? readJson(source) : await readYaml(source)
  if (parsed.value === undefined) return { diagnostics: parsed.diagnostics }
  const { json, placesOf, lossesIn } = parsed.value
  const copied = toJson(json)
  if (!copied.ok) return { diagnostics: [noOpenApi(source.shown, decapitalised(copied.message))] }
  const written = documentIn(copied.json, source.text)
  const root = own(written, 'swagger') === '2.0' ? await upgraded(written) : written
  if (root === undefined) return { diagnostics: [noOpenApi(source.shown, 'it cannot be brought up to version 3')] }
  const why = foreign(root)
  if (why !== undefined) return { diagnostics: [noOpenApi(source.shown, why)] }
  const at = written === copied.json ? [] : ['document']
  const value: OpenApiDocument = {
    root,
    losses: lossesIn(copied.json)
      .filter(({ keys }) => at.every((key, index) => keys[index] === key))
      .map((loss) => ({ ...loss, keys: loss.keys.slice(at.length) })),
    isUpgraded: root !== written,
    placesOf: (parts) => placesOf(parts.map((keys) => [...at, ...keys])),
  }
  return { value, diagnostics: [] }
}

/** A parsed text, and where its parts stand. */
export interface ParsedText {
  readonly json: unknown
  /** What reading the text has lost of a value that is JSON, see `json`. */
  lossesIn(json: Json): readonly TextLoss[]
  placesOf(parts: readonly PartKeys[]): readonly SourcePlace[]
}

function readJson(source: ImportSource): Checked<ParsedText> {
  const { text, file } = source
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    const fault = jsonFault(text)
    if (fault === undefined) throw error
    return { diagnostics: [brokenJson(source, fault)] }
  }
  const placesOf = (parts: readonly PartKeys[]): readonly SourcePlace[] => {
    if (parts.length === 0) return []
    const places = jsonPlaces(text, new Set(parts.flatMap(waysTo)))
    return parts.map((keys) => {
      const written = waysTo(keys).find((pointer) => places.has(pointer))
      return { file, ...(places.get(written ?? '') ?? { line: 1, column: 1 }) }
    })
  }
  return { value: { json, lossesIn: (copied) => jsonLosses(text, copied), placesOf }, diagnostics: [] }
}

/** The pointers to a part and to all that is around it, innermost first. */
function waysTo(keys: PartKeys): readonly string[] {
  return [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer)))
}

/** A snapshot holds the document of an earlier import. */
function documentIn(json: unknown, text: string): SchemaObject {
  const outer = isObject(json) ? json : {}
  const document = own(outer, 'document')
  return isImported(text) && isObject(document) ? document : outer
}

async function upgraded(document: SchemaObject): Promise<SchemaObject | undefined> {
  const { upgradeFromTwoToThree } = await import('@scalar/openapi-upgrader/2.0-to-3.0')
  try {
    const copied = toJson(upgradeFromTwoToThree({ ...preparedSwagger(document) }))
    return copied.ok && isObject(copied.json) ? copied.json : undefined
  } catch {
    // It is made for documents that are whole; of one that is not it says nothing but that.
    return undefined
  }
}

/** Why a value is no document of OpenAPI 3; `undefined` where it is one. */
function foreign(root: SchemaObject): string | undefined {
  const [version, older] = [own(root, 'openapi'), own(root, 'swagger')]
  const [key, said] = version === undefined ? ['swagger', older] : ['openapi', version]
  if (said === undefined) return 'it has neither `openapi` nor `swagger`'
  if (typeof said === 'number')
    return `its version is a number: write it in quotes, as in \`${key}: '${example(key)}'\``
  if (typeof version !== 'string') return `its version is \`${JSON.stringify(said)}\``
  if (!/^3\.[0-2](?:\.|$)/.test(version)) return `its version is \`${version}\``
  return isObject(own(root, 'paths')) ? undefined : 'it has no `paths`'
}

function example(key: string): string {
  return key === 'swagger' ? '2.0' : '3.1.0'
}

function decapitalised(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}
