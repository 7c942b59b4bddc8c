import { pointerOf } from '@toolgen/runtime/schema'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { jsonLocations } from '../schema/json-losses.js'
import { atPointer, isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { type JsonFault, jsonFault } from './json-error.js'
import { brokenJson, type ImportSource } from './read-source.js'
import { isDeeper, leftOut, mostLevels, type ToolSource, unknownResult } from './tool-diagnostics.js'

/** A function as somebody described it to a model. */
export interface DescribedFunction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** The schema of its arguments and the key under which it stands; absent: it takes none. */
  readonly parameters?: DescribedPart
  /** The schema of what it answers; absent: nothing is said. */
  readonly response?: DescribedPart
  /** Examples of its arguments. */
  readonly examples?: DescribedPart
  readonly at: SourcePart
}

/** A part of a description, and the key under which it stands. */
export interface DescribedPart {
  readonly key: string
  readonly json: Json
}

/** What the forms call the schema of the arguments: OpenAI and Gemini, Anthropic, Gemini again, and MCP and the Vercel AI SDK. */
const parameters = ['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'inputSchema']
/** What they call the schema of the result: Gemini, and MCP. */
const responses = ['response', 'responseJsonSchema', 'response_json_schema', 'outputSchema']
/** What Anthropic calls the examples of the arguments, and its SDKs. */
const examples = ['input_examples', 'inputExamples']

/** Whether something is meant as the description of a function: it says what it takes, or is of no other kind. */
function isDescription(value: SchemaObject): boolean {
  if (partUnder(value, parameters) !== undefined) return true
  const type = own(value, 'type')
  return Object.hasOwn(value, 'name') && (type === undefined || type === 'function')
}

/** Reads the description of a function in any form; `undefined` where it has no name. */
function readDescription(value: SchemaObject, at: SourcePart): DescribedFunction | undefined {
  const name = textOf(value, 'name')
  if (name === undefined) return undefined
  const title = textOf(value, 'title')
  const description = textOf(value, 'description')
  const takes = partUnder(value, parameters)
  const answers = partUnder(value, responses)
  const shown = partUnder(value, examples)
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(takes !== undefined && { parameters: takes }),
    ...(answers !== undefined && isObject(answers.json) && { response: answers }),
    ...(shown !== undefined && { examples: shown }),
    at,
  }
}

/** A description in the one form in which snapshots hold it, whatever form it had. */
export function writtenDescription(described: DescribedFunction): SchemaObject {
  const { name, title, description, parameters: takes, response, examples: shown } = described
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(takes !== undefined && { parameters: takes.json }),
    ...(response !== undefined && { response: response.json }),
    ...(shown !== undefined && { input_examples: shown.json }),
  }
}

function partUnder(value: SchemaObject, keys: readonly string[]): DescribedPart | undefined {
  for (const key of keys) {
    const json = own(value, key)
    if (json !== undefined && json !== null) return { key, json }
  }
  return undefined
}

/** A text that says something. */
function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A JSON text of a source: all of it, or one of its lines. */
interface FunctionDocument {
  readonly json: unknown
  readonly text: string
  /** The line of the source on which it begins, 1-based. */
  readonly line: number
}

/** Collections of functions for research have some ten thousand lines. */
const mostLines = 200_000

/** Reads a source that is JSON, or JSON lines: an object or a list on each line that is not empty. */
export function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  // A schema that nests too deep makes only its own function unusable.
  const whole = jsonFault(source.text, Number.POSITIVE_INFINITY)
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
    const fault = jsonFault(text, Number.POSITIVE_INFINITY)
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
  return /^\s*[[{]/.test(text) && jsonFault(text, Number.POSITIVE_INFINITY) === undefined
}

function onLine(fault: JsonFault, line: number): JsonFault {
  return { ...fault, line }
}

/** What descriptions of functions stand in: requests, lists, and the wrappers of OpenAI and Gemini. */
const wrappers = ['tools', 'functions', 'function', 'functionDeclarations', 'function_declarations']

/** How many parts of one kind are told of one by one: where everything is wrong, nobody reads more. */
const mostFindings = 20

/** Maximum number of lists and objects around a description; sources have about four. */
const deepestFunction = 100

/** Leaves out the parts of a description that nest too deep for a snapshot; all of it if its parameters do. */
function withoutDeepParts(described: DescribedFunction): {
  readonly value?: DescribedFunction
  readonly findings: readonly SourceFinding[]
} {
  const { name, at } = described
  const why = `it nests more than ${mostLevels} levels deep`
  const isDeep = (part: DescribedPart | undefined): part is DescribedPart =>
    part !== undefined && isDeeper(part.json, mostLevels - 1)
  if (isDeep(described.parameters)) {
    return { findings: [{ finding: leftOut(descriptions, name, why), at: partOf(at, described.parameters.key) }] }
  }
  const findings: SourceFinding[] = []
  const { response, examples: shown, ...others } = described
  if (isDeep(response)) findings.push({ finding: unknownResult(descriptions, name, why), at: partOf(at, response.key) })
  if (isDeep(shown)) findings.push({ finding: exampleLeftOut(name, why), at: partOf(at, shown.key) })
  const value = {
    ...others,
    ...(response !== undefined && !isDeep(response) && { response }),
    ...(shown !== undefined && !isDeep(shown) && { examples: shown }),
  }
  return { value, findings }
}

/** The functions that documents describe, in their order, and what is found beside them. */
interface ReadFunctions {
  readonly functions: readonly DescribedFunction[]
  readonly findings: readonly SourceFinding[]
}

/**
 * Finds the functions in documents of any form: tools of OpenAI (chat completions, responses, the older `functions`), of
 * Anthropic and of Gemini, alone, in lists or in whole requests.
 */
export function readFunctions(documents: readonly FunctionDocument[]): ReadFunctions {
  const functions: DescribedFunction[] = []
  const findings: SourceFinding[] = []
  const counts = new Map<typeof noDescription, { count: number; readonly first: SourcePart }>()
  const find = (finding: typeof noDescription, at: SourcePart): void => {
    const known = counts.get(finding) ?? { count: 0, first: at }
    known.count += 1
    counts.set(finding, known)
    if (known.count <= mostFindings) findings.push({ finding: finding(at.keys), at })
  }
  const visit = (value: unknown, at: SourcePart): void => {
    if (at.keys.length > deepestFunction) {
      find(noDescription, { ...at, keys: at.keys.slice(0, 1) })
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, partOf(at, index))
    } else if (!isObject(value)) {
      find(noDescription, at)
    } else {
      const wrapped = wrappers.filter((key) => typeof own(value, key) === 'object' && own(value, key) !== null)
      if (wrapped.length > 0) {
        for (const key of wrapped) visit(own(value, key), partOf(at, key))
      } else if (isDescription(value)) {
        const described = readDescription(value, at)
        if (described === undefined) find(noDescription, at)
        else {
          const shallow = withoutDeepParts(described)
          findings.push(...shallow.findings)
          if (shallow.value !== undefined) functions.push(shallow.value)
        }
      } else {
        find(noFunction, at)
      }
    }
  }
  for (const [document, { json }] of documents.entries()) visit(json, { document, keys: [] })
  for (const [finding, { count, first }] of counts) {
    if (count > mostFindings) findings.push({ finding: andMore(finding([]), count - mostFindings), at: first })
  }
  return { functions, findings }
}

/** A part of a source: which of its documents, and the keys that lead there. */
interface SourcePart {
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
    const locations = jsonLocations(text, new Set(found.flatMap(({ at }) => waysTo(at.keys))))
    return found.map(({ finding, at }): Diagnostic => {
      const written = waysTo(at.keys).find((pointer) => locations.has(pointer))
      const { line: below, column } = locations.get(written ?? '') ?? { line: 1, column: 1 }
      return { ...finding, location: { file, line: line + below - 1, column } }
    })
  })
}

/** The pointers to a part and to all that is around it, innermost first. */
function waysTo(keys: readonly (string | number)[]): readonly string[] {
  return [...keys, ''].map((_, outer) => pointerOf(keys.slice(0, keys.length - outer)))
}

/** Descriptions of functions as the source of tools. */
export const descriptions: ToolSource = {
  subject: 'The source',
  fix: 'Correct the description, and import again',
  rename: 'fromService(toolset, client, { rename: { tool: "name" } })',
}

const example = '{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }'

/** A source that describes no function, or none that can be imported. */
export function noFunctions(shown: string): Diagnostic {
  return {
    code: 'TG6020',
    severity: 'error',
    message: `${shown} describes no function that can be imported.`,
    next: `Give tools of OpenAI, Anthropic or Gemini, or a list of functions such as \`${example}\`.`,
  }
}

/** An entry in the place of a function that has no name. */
function noDescription(keys: readonly (string | number)[]): Diagnostic {
  return {
    code: 'TG6014',
    severity: 'warning',
    message: `The entry ${atPointer(pointerOf(keys))} has no name and is left out.`,
    next: `Give each function a name: \`${example}\`.`,
  }
}

/** A tool of another kind, such as a search that the provider runs itself. */
function noFunction(keys: readonly (string | number)[]): Diagnostic {
  return {
    code: 'TG6021',
    severity: 'warning',
    message: `What stands ${atPointer(pointerOf(keys))} is no function and is left out.`,
    next: 'Nothing, if the provider runs this tool itself; else give it a name and a schema of its arguments.',
  }
}

/** That as many further parts are like those of which a finding was told. */
function andMore(finding: Diagnostic, count: number): Diagnostic {
  const parts = count === 1 ? '1 more entry of the source is' : `${count} more entries of the source are`
  return { ...finding, message: `${parts} left out for the same reason.` }
}

/** A function whose very description stood there before. */
export function repeated(name: string): Diagnostic {
  return {
    code: 'TG6002',
    severity: 'note',
    message: `\`${name}\` is described twice in the same way; it is taken once.`,
    next: 'Leave one of them out.',
  }
}

/** A function with the name of another one. */
export function sameName(name: string, toolName: string): Diagnostic {
  return {
    code: 'TG6022',
    severity: 'warning',
    message: `\`${name}\` is described more than once, each time differently; models see this one as \`${toolName}\`.`,
    next: 'Give each function a name of its own, and import again.',
  }
}

/** An example of a function's arguments that its schema refuses. */
export function exampleLeftOut(name: string, misfit: string): Diagnostic {
  return {
    code: 'TG6023',
    severity: 'warning',
    message: `An example of \`${name}\` is left out: ${misfit}.`,
    next: 'Correct the example, or the schema, and import again.',
  }
}
