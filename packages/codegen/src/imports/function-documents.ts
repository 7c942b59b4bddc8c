import { pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { jsonLocations } from '../schema/json-losses.js'
import { atPointer, isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { jsonError } from './json-error.js'
import { textOf } from './mcp-capture.js'
import { type ImportSource, invalidJson } from './sources.js'
import { isDeeper, leftOut, maxLevels, type ToolSource, unknownResult, warning } from './tool-diagnostics.js'

/** Descriptions of functions as the source of tools. */
export const descriptions: ToolSource = {
  subject: 'The source',
  fix: 'Correct the description, and import again',
  rename: 'fromService(toolset, client, { rename: { tool: "name" } })',
}

/** Example of a description in messages. */
export const exampleFunction: string =
  '{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }'

/** A function as it was described to a model. */
export interface DescribedFunction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Schema of the arguments; absent: there are none. */
  readonly parameters?: DescribedPart
  /** Schema of the result; absent: it is unknown. */
  readonly response?: DescribedPart
  readonly examples?: DescribedPart
  readonly path: SourcePath
}

/** A part of a description, and its key. */
export interface DescribedPart {
  readonly key: string
  readonly json: Json
}

/** Path to a part of a source. */
export interface SourcePath {
  readonly document: number
  readonly keys: readonly (string | number)[]
}

/** A diagnostic about a part of a source, without its location. */
export interface SourceDiagnostic {
  readonly diagnostic: Diagnostic
  readonly path: SourcePath
}

/** Keys of the schema of the arguments: OpenAI and Gemini, Anthropic, Gemini again, and MCP and the Vercel AI SDK. */
const parameterKeys = ['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'inputSchema']
/** Keys of the schema of the result: Gemini, and MCP. */
const responseKeys = ['response', 'responseJsonSchema', 'response_json_schema', 'outputSchema']
/** Keys of the examples of the arguments: Anthropic, and its SDKs. */
const exampleKeys = ['input_examples', 'inputExamples']
/** Keys of what contains descriptions: requests, lists, and the wrappers of OpenAI and Gemini. */
const wrapperKeys = ['tools', 'functions', 'function', 'functionDeclarations', 'function_declarations']

function partUnder(value: SchemaObject, keys: readonly string[]): DescribedPart | undefined {
  const key = keys.find((each) => (own(value, each) ?? null) !== null)
  return key === undefined ? undefined : { key, json: own(value, key) ?? null }
}

/** Returns `true` for an object that has parameters, or a name and no other kind. */
function isDescription(value: SchemaObject): boolean {
  if (partUnder(value, parameterKeys) !== undefined) return true
  const type = own(value, 'type')
  return Object.hasOwn(value, 'name') && (type === undefined || type === 'function')
}

/** Returns a description in the form that snapshots have. */
export function writtenDescription(described: DescribedFunction): SchemaObject {
  const { name, title, description, parameters, response, examples } = described
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters: parameters.json }),
    ...(response !== undefined && { response: response.json }),
    ...(examples !== undefined && { input_examples: examples.json }),
  }
}

/** A JSON text of a source: all of it, or one line. */
interface FunctionDocument {
  readonly json: unknown
  readonly text: string
  /** First line in the source, 1-based. */
  readonly line: number
}

/** Limit for the lines of JSON: collections for research have some ten thousand. */
const maxLines = 200_000

/** Reads a source that is JSON, or JSON lines: an object or a list on each line that is not empty. */
export function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  // A schema that nests too deep makes only its own function unusable.
  const whole = jsonError(source.text, Number.POSITIVE_INFINITY)
  if (whole === undefined) {
    return { value: [{ json: JSON.parse(source.text), text: source.text, line: 1 }], diagnostics: [] }
  }
  const [first, second] = linesOf(source.text)
  const isLine =
    first !== undefined && /^\s*[[{]/.test(first.text) && jsonError(first.text, Number.POSITIVE_INFINITY) === undefined
  if (!isLine || second === undefined) return { diagnostics: [invalidJson(source, whole)] }
  const documents: FunctionDocument[] = []
  for (const { text, line } of linesOf(source.text)) {
    const found =
      documents.length === maxLines
        ? { column: 1, why: `it has more than ${maxLines} lines of JSON` }
        : jsonError(text, Number.POSITIVE_INFINITY)
    if (found !== undefined) return { diagnostics: [invalidJson(source, { ...found, line })] }
    documents.push({ json: JSON.parse(text), text, line })
  }
  return { value: documents, diagnostics: [] }
}

/** Returns the lines that are not empty, one by one: a large text can have more of them than fit into memory. */
function* linesOf(text: string): Iterable<{ readonly text: string; readonly line: number }> {
  for (let start = 0, line = 1; start <= text.length; line += 1) {
    const end = text.indexOf('\n', start)
    const written = text.slice(start, end === -1 ? undefined : end)
    if (written.trim() !== '') yield { text: written, line }
    start = end === -1 ? text.length + 1 : end + 1
  }
}

const maxReported = 20

/** Limit for the lists and objects around a description; sources have about four. */
const maxWrappers = 100

function nameless(keys: SourcePath['keys']): Diagnostic {
  const message = `The entry ${atPointer(pointerOf(keys))} has no name and is left out.`
  return warning('TG6014', message, `Give each function a name: \`${exampleFunction}\`.`)
}

/** Reports a tool of another kind, such as a search that the provider runs. */
function otherTool(keys: SourcePath['keys']): Diagnostic {
  const message = `What stands ${atPointer(pointerOf(keys))} is no function and is left out.`
  const next = 'Nothing, if the provider runs this tool itself; else give it a name and a schema of its arguments.'
  return warning('TG6021', message, next)
}

/**
 * Finds the functions in documents of any form: tools of OpenAI (chat completions, responses, the older `functions`), of
 * Anthropic and of Gemini, alone, in lists or in whole requests.
 */
export function readFunctions(documents: readonly FunctionDocument[]): {
  readonly functions: readonly DescribedFunction[]
  readonly diagnostics: readonly SourceDiagnostic[]
} {
  const functions: DescribedFunction[] = []
  const diagnostics: SourceDiagnostic[] = []
  const counts = new Map<typeof nameless, { count: number; readonly first: SourcePath }>()
  const report = (create: typeof nameless, path: SourcePath): void => {
    const known = counts.get(create) ?? { count: 0, first: path }
    known.count += 1
    counts.set(create, known)
    if (known.count <= maxReported) diagnostics.push({ diagnostic: create(path.keys), path })
  }
  const visit = (value: unknown, path: SourcePath): void => {
    const wrapped = isObject(value) ? wrapperKeys.filter((key) => typeof (own(value, key) ?? '') === 'object') : []
    if (path.keys.length > maxWrappers) report(nameless, { ...path, keys: path.keys.slice(0, 1) })
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, pathIn(path, index))
    else if (!isObject(value)) report(nameless, path)
    else if (wrapped.length > 0) for (const key of wrapped) visit(own(value, key), pathIn(path, key))
    else if (!isDescription(value)) report(otherTool, path)
    else {
      const name = textOf(value, 'name')
      if (name === undefined) report(nameless, path)
      const described = name === undefined ? undefined : readDescription(value, name, path, diagnostics)
      if (described !== undefined) functions.push(described)
    }
  }
  for (const [document, { json }] of documents.entries()) visit(json, { document, keys: [] })
  for (const [create, { count, first }] of counts) {
    if (count <= maxReported) continue
    const more = count - maxReported
    const parts = more === 1 ? '1 more entry of the source is' : `${more} more entries of the source are`
    diagnostics.push({ diagnostic: { ...create([]), message: `${parts} left out for the same reason.` }, path: first })
  }
  return { functions, diagnostics }
}

/** Reads a description in any form, without parts that nest too deep for a snapshot. */
function readDescription(
  value: SchemaObject,
  name: string,
  path: SourcePath,
  diagnostics: SourceDiagnostic[],
): DescribedFunction | undefined {
  const why = `it nests more than ${maxLevels} levels deep`
  let isDropped = false
  const shallowPart = (keys: readonly string[], diagnostic: Diagnostic): DescribedPart | undefined => {
    const part = partUnder(value, keys)
    if (part === undefined || !isDeeper(part.json, maxLevels - 1)) return part
    diagnostics.push({ diagnostic, path: pathIn(path, part.key) })
    isDropped ||= keys === parameterKeys
    return undefined
  }
  const parameters = shallowPart(parameterKeys, leftOut(descriptions, name, why))
  if (isDropped) return undefined
  const isSchema = isObject(partUnder(value, responseKeys)?.json)
  return defined({
    name,
    title: textOf(value, 'title'),
    description: textOf(value, 'description'),
    parameters,
    response: isSchema ? shallowPart(responseKeys, unknownResult(descriptions, name, why)) : undefined,
    examples: shallowPart(exampleKeys, exampleLeftOut(name, why)),
    path,
  })
}

/** Reports an example that does not fit the schema of the arguments. */
export function exampleLeftOut(name: string, misfit: string): Diagnostic {
  const message = `An example of \`${name}\` is left out: ${misfit}.`
  return warning('TG6023', message, 'Correct the example, or the schema, and import again.')
}

/** Returns the path of a part of a part. */
export function pathIn({ document, keys }: SourcePath, ...more: readonly (string | number)[]): SourcePath {
  return { document, keys: [...keys, ...more] }
}

/**
 * Adds locations to diagnostics: that of the innermost part in the source.
 *
 * @param file the source in locations
 */
export function located(
  all: readonly SourceDiagnostic[],
  documents: readonly FunctionDocument[],
  file: string,
): readonly Diagnostic[] {
  const byDocument = new Map<number, SourceDiagnostic[]>()
  for (const each of all) {
    const others = byDocument.get(each.path.document)
    if (others === undefined) byDocument.set(each.path.document, [each])
    else others.push(each)
  }
  return documents.flatMap(({ text, line: first }, document) => {
    const found = byDocument.get(document)
    if (found === undefined) return []
    const locations = jsonLocations(text, new Set(found.flatMap(({ path }) => pointersTo(path.keys))))
    return found.map(({ diagnostic, path }) => {
      const written = pointersTo(path.keys).find((pointer) => locations.has(pointer))
      const { line, column } = locations.get(written ?? '') ?? { line: 1, column: 1 }
      return { ...diagnostic, location: { file, line: first + line - 1, column } }
    })
  })
}

/** Returns the pointers to a part and to everything around it, the innermost first. */
export function pointersTo(keys: SourcePath['keys']): readonly string[] {
  return [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer)))
}
