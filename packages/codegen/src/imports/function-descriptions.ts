import { pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { isDeeper } from '../schema/json-error.js'
import { atPointer, isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import type { FunctionDocument, Keys, PartDiagnostic } from './function-documents.js'
import { maxLevels, type ToolSource, textOf, unusableSide } from './tool-source.js'
import { snapshotSources } from './toolset-module.js'

export const descriptions: ToolSource = {
  subject: 'The source',
  fix: 'Correct the description and import again',
  rename: 'fromService(toolset, client, { rename: { tool: "name" } })',
}

export const exampleFunction =
  '{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }'

export function exampleLeftOut(name: string, misfit: string): Diagnostic {
  const message = `An example of \`${name}\` is dropped: ${misfit}.`
  return warning('TG6023', message, 'Correct the example or the schema and import again.')
}

export interface DescribedFunction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly parameters?: DescribedPart
  readonly response?: DescribedPart
  readonly examples?: DescribedPart
  readonly written: SchemaObject
  report(diagnostic: Diagnostic, ...keys: Keys): void
}

interface DescribedPart {
  readonly key: string
  readonly json: Json
}

/**
 * `parameters`: OpenAI and Gemini. `input_schema`: Anthropic. `parametersJsonSchema` and `parameters_json_schema`: Gemini. `inputSchema`: MCP and the
 * Vercel AI SDK.
 */
const parameterKeys = ['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'inputSchema']

const responseKeys = ['response', 'responseJsonSchema', 'response_json_schema', 'outputSchema']

const exampleKeys = ['input_examples', 'inputExamples']

const wrapperKeys = ['tools', 'functions', 'function', 'functionDeclarations', 'function_declarations']

const maxReported = 20

/** The supported formats need about four levels of arrays and objects around a function definition. */
const maxWrappers = 100

/** Accepts the formats of OpenAI (chat completions, responses, the older `functions`), Anthropic and Gemini. */
export function readFunctions(
  documents: readonly FunctionDocument[],
  found: PartDiagnostic[],
): readonly DescribedFunction[] {
  const functions: DescribedFunction[] = []
  const counts = new Map<typeof nameless, { count: number; readonly document: number; readonly keys: Keys }>()
  const leaveOut = (create: typeof nameless, document: number, keys: Keys): void => {
    const known = counts.get(create) ?? { count: 0, document, keys }
    known.count += 1
    counts.set(create, known)
    if (known.count <= maxReported) found.push({ diagnostic: create(keys), document, keys })
  }
  const visit = (value: unknown, document: number, keys: Keys): void => {
    const wrapped = isObject(value) ? wrapperKeys.filter((key) => typeof (own(value, key) ?? '') === 'object') : []
    if (keys.length > maxWrappers) leaveOut(nameless, document, keys.slice(0, 1))
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, document, [...keys, index])
    else if (!isObject(value)) leaveOut(nameless, document, keys)
    else if (wrapped.length > 0) for (const key of wrapped) visit(own(value, key), document, [...keys, key])
    else if (!isDescription(value)) leaveOut(otherTool, document, keys)
    else {
      const name = textOf(value, 'name')
      const report: DescribedFunction['report'] = (diagnostic, ...inner) => {
        found.push({ diagnostic, document, keys: [...keys, ...inner] })
      }
      if (name === undefined) leaveOut(nameless, document, keys)
      else functions.push(...readDescription(value, name, report))
    }
  }
  for (const [document, { json }] of documents.entries()) {
    const sources = snapshotSources(json)
    for (const [tool, source] of sources ?? []) visit(source, document, ['tools', tool, 'source'])
    if (sources === undefined) visit(json, document, [])
  }
  for (const [create, { count, ...first }] of counts) {
    if (count <= maxReported) continue
    const more = count - maxReported
    const parts = more === 1 ? '1 more entry of the source is' : `${more} more entries of the source are`
    found.push({ diagnostic: { ...create([]), message: `${parts} not imported for the same reason.` }, ...first })
  }
  return functions
}

function nameless(keys: Keys): Diagnostic {
  const message = `The entry ${atPointer(pointerOf(keys))} has no name and is not imported.`
  return warning('TG6014', message, `Add a name to each function: \`${exampleFunction}\`.`)
}

function otherTool(keys: Keys): Diagnostic {
  const message = `The entry ${atPointer(pointerOf(keys))} is not a function and is not imported.`
  const next = 'If the provider runs this tool itself, do nothing. Otherwise add a name and a schema of its arguments.'
  return warning('TG6021', message, next)
}

function partUnder(value: SchemaObject, keys: readonly string[]): DescribedPart | undefined {
  const key = keys.find((each) => (own(value, each) ?? null) !== null)
  return key === undefined ? undefined : { key, json: own(value, key) ?? null }
}

function isDescription(value: SchemaObject): boolean {
  if (partUnder(value, parameterKeys) !== undefined) return true
  const type = own(value, 'type')
  return Object.hasOwn(value, 'name') && (type === undefined || type === 'function')
}

function readDescription(
  value: SchemaObject,
  name: string,
  report: DescribedFunction['report'],
): readonly DescribedFunction[] {
  const why = `it has more than ${maxLevels} nested levels`
  const isTooDeep = (part: DescribedPart | undefined, diagnostic: Diagnostic): boolean => {
    if (part === undefined || !isDeeper(part.json, maxLevels - 1)) return false
    report(diagnostic, part.key)
    return true
  }
  const [title, description] = [textOf(value, 'title'), textOf(value, 'description')]
  const parameters = partUnder(value, parameterKeys)
  if (isTooDeep(parameters, unusableSide('arguments', descriptions, name, why))) return []
  let response = partUnder(value, responseKeys)
  if (!isObject(response?.json) || isTooDeep(response, unusableSide('result', descriptions, name, why))) {
    response = undefined
  }
  let examples = partUnder(value, exampleKeys)
  if (isTooDeep(examples, exampleLeftOut(name, why))) examples = undefined
  const written = defined({
    name,
    title,
    description,
    parameters: parameters?.json,
    response: response?.json,
    input_examples: examples?.json,
  })
  return [defined({ name, title, description, parameters, response, examples, written, report })]
}
