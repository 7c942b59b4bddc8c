import { pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, note, warning } from '../diagnostics/diagnostic.js'
import { elementAt, importedToolNames } from '../ir/names.js'
import { issueText, valueValidator } from '../schema/definitions.js'
import { isDeeper, jsonError } from '../schema/json-error.js'
import {
  atPointer,
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaObject,
  withKey,
  without,
} from '../schema/json-schema.js'
import { readPlainSchema } from '../schema/libraries/plain.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { byCodePoint } from '../text.js'
import { type ImportSource, invalidText, jsonPartLocations } from './sources.js'
import {
  maxLevels,
  renamed,
  type Side,
  type ToolSource,
  textOf,
  undescribed,
  unusableSide,
  usableSchema,
} from './tools.js'
import {
  type DeclaredTool,
  isImported,
  type ListedTool,
  noImport,
  type ToolsetImport,
  toolListChanges,
  toolsetImport,
} from './toolset-module.js'

/** Descriptions of functions as the source of tools. */
const descriptions: ToolSource = {
  subject: 'The source',
  fix: 'Correct the description, and import again',
  rename: 'fromService(toolset, client, { rename: { tool: "name" } })',
}

/** Example of a description in messages. */
const exampleFunction =
  '{ "name": "get_weather", "description": "...", "parameters": { "type": "object", "properties": {} } }'

interface FunctionsImportOptions {
  /** Path of the source for a later import, relative to the snapshot. Default: that of the source, if it is a snapshot. */
  readonly from?: string
  readonly earlier?: string
}

/**
 * Creates a toolset of functions that were described to models. The same functions give the same bytes whatever the form of
 * their descriptions, also as the snapshot of an earlier import.
 */
export function importFunctions(
  toolset: string,
  source: ImportSource,
  { from = recordedSource(source.text), earlier }: FunctionsImportOptions = {},
): ToolsetImport {
  const { value: documents, diagnostics } = functionDocuments(source)
  if (documents === undefined) return noImport(diagnostics)
  const found: PartDiagnostic[] = []
  const functions = distinct(readFunctions(documents, found))
  const tools = declareFunctions(functions)
  const all = located(found, documents, source.file)
  if (all.some(({ severity }) => severity === 'error')) return noImport(all)
  if (tools.length === 0) {
    const message = `${source.shown} describes no function that can be imported.`
    const next = `Give tools of OpenAI, Anthropic or Gemini, or a list of functions such as \`${exampleFunction}\`.`
    return noImport([...all, errorAt(undefined, 'TG6020', message, next)])
  }
  const declared = {
    kind: 'functions',
    name: toolset,
    description: `Functions of ${toolset}.`,
    tools,
    snapshot: { ...(from !== undefined && { from }), functions: functions.map(({ written }) => written) },
  } as const
  const before = earlier === undefined ? undefined : listed(readFunctions(snapshotDocuments(earlier), []))
  return toolsetImport(declared, toolListChanges(before, listed(functions)), all)
}

/** Returns the path of a snapshot's source, relative to the snapshot; `undefined` for any other text. */
export function recordedSource(text: string): string | undefined {
  const [snapshot] = isImported(text) ? snapshotDocuments(text) : []
  const from = isObject(snapshot?.json) ? own(snapshot.json, 'from') : undefined
  return typeof from === 'string' ? from : undefined
}

/** Returns functions by their names; several of one name have a number too. */
function listed(functions: readonly DescribedFunction[]): readonly ListedTool[] {
  const counts = new Map<string, number>()
  return functions.map(({ name, written }) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { name: count === 1 ? name : `${name} (${count})`, raw: written }
  })
}

/** Removes repeated descriptions. */
function distinct(functions: readonly DescribedFunction[]): readonly DescribedFunction[] {
  const sorted = (_: string, value: Json): Json =>
    isObject(value) ? objectFrom(Object.entries(value).sort(([a], [b]) => byCodePoint(a, b))) : value
  const known = new Set<string>()
  return functions.filter(({ name, written, report }) => {
    const text = JSON.stringify(written, sorted)
    const isRepeated = known.has(text)
    known.add(text)
    const message = `\`${name}\` is described twice in the same way; it is taken once.`
    if (isRepeated) report(note('TG6002', message, 'Leave one of them out.'), 'name')
    return !isRepeated
  })
}

/**
 * Declares functions as tools with legal, unique names: models see the function's own name if it is legal and free. Schemas of
 * loose dialects are converted to JSON Schema; others stay as they are.
 */
function declareFunctions(functions: readonly DescribedFunction[]): readonly DeclaredTool[] {
  const names = importedToolNames(functions.map(({ name }) => name))
  const seen = new Set<string>()
  return functions.flatMap((described, index): readonly DeclaredTool[] => {
    const { name, title, description, report, response } = described
    const { tool, toolName } = elementAt(names, index)
    const payload = usableSide(described, 'arguments')
    if (payload === undefined) return []
    const result = (response && usableSide(described, 'result')) ?? true
    if (description === undefined) report(undescribed(descriptions, name))
    if (seen.has(name)) {
      const message = `\`${name}\` is described more than once, each time differently; models see this one as \`${toolName}\`.`
      report(warning('TG6022', message, 'Give each function a name of its own, and import again.'), 'name')
    } else if (toolName !== name) report(renamed(descriptions, name, name, toolName), 'name')
    seen.add(name)
    const facts = usableExamples(described, payload)
    return [defined({ tool, toolName, title, description: description ?? title ?? name, payload, result, facts })]
  })
}

/** Gemini's order of fields does not affect values. */
const fieldOrder = 'propertyOrdering'

/** Returns the schema of one side as JSON Schema. Reports repairs, and why it cannot be used. */
function usableSide({ name, parameters, response, report }: DescribedFunction, side: Side): Schema | undefined {
  const empty = { key: 'name', json: { type: 'object', properties: {} } }
  const { key, json } = (side === 'arguments' ? parameters : response) ?? empty
  const { value, diagnostics } = readPlainSchema(json)
  if (value === undefined) {
    const error = diagnostics.find(({ severity }) => severity === 'error')
    const unusable = unusableSide(side, descriptions, name, error?.message ?? 'it cannot be read')
    report({ ...unusable, next: error?.next ?? `${descriptions.fix}.` }, key, ...(error?.trail ?? []))
    return undefined
  }
  for (const { trail, ...repair } of diagnostics) {
    if (repair.code === 'TG3015' && trail.at(-1) === fieldOrder) continue
    report({ ...repair, message: `\`${name}\`, ${side}: ${repair.message}` }, key, ...trail)
  }
  // Keywords without effect are removed: nobody can remove them from the module.
  const unknown = diagnostics.filter(({ code }) => code === 'TG3015')
  const read =
    diagnostics.length === 0 ? json : unknown.reduce<Json>((rest, { trail }) => withoutPart(rest, trail), value)
  return usableSchema(side, name, read, descriptions, (each) => report(each, key))
}

/** Returns a copy of a value without the property to which keys lead. */
function withoutPart(json: Json, keys: readonly (string | number)[]): Json {
  const [first, ...rest] = keys.map(String)
  if (first === undefined) return json
  if (Array.isArray(json)) {
    return json.map((item: Json, index) => (String(index) === first ? withoutPart(item, rest) : item))
  }
  if (!isObject(json)) return json
  if (rest.length === 0) return without(json, [first])
  const part = own(json, first)
  return part === undefined ? json : withKey(json, first, withoutPart(part, rest))
}

/** Returns the examples that fit the schema of the arguments. */
function usableExamples({ name, examples, report }: DescribedFunction, schema: Schema): SchemaObject {
  if (examples === undefined) return {}
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined) return {}
  const validate = valueValidator(Object.fromEntries(value.defs), 'reject')
  const fitting = [examples.json].flat().filter((example: Json, index) => {
    const [issue] = validate(value.root, example)
    if (issue !== undefined) report(exampleLeftOut(name, issueText(issue)), examples.key, index)
    return issue === undefined
  })
  return fitting.length === 0 ? {} : { examples: fitting }
}

function exampleLeftOut(name: string, misfit: string): Diagnostic {
  const message = `An example of \`${name}\` is left out: ${misfit}.`
  return warning('TG6023', message, 'Correct the example, or the schema, and import again.')
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
function functionDocuments(source: ImportSource): Checked<readonly FunctionDocument[]> {
  // A schema that nests too deep makes only its own function unusable.
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

function snapshotDocuments(text: string): readonly FunctionDocument[] {
  return functionDocuments({ text, file: '', shown: '' }).value ?? []
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

type Keys = readonly (string | number)[]

/** A diagnostic about a part of a document, without its location. */
interface PartDiagnostic {
  readonly diagnostic: Diagnostic
  /** Index of the document. */
  readonly document: number
  readonly keys: Keys
}

/** Adds the locations in the source to diagnostics. */
function located(
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

/** A function as it was described to a model. */
interface DescribedFunction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Schema of the arguments; absent for a function without arguments. */
  readonly parameters?: DescribedPart
  /** Schema of the result; absent if it is unknown. */
  readonly response?: DescribedPart
  readonly examples?: DescribedPart
  /** The description in the form of snapshots. */
  readonly written: SchemaObject
  /** Reports a diagnostic about a part of the description. */
  report(diagnostic: Diagnostic, ...keys: Keys): void
}

/** A part of a description, and its key. */
interface DescribedPart {
  readonly key: string
  readonly json: Json
}

/** Keys of the schema of the arguments: OpenAI and Gemini, Anthropic, Gemini again, and MCP and the Vercel AI SDK. */
const parameterKeys = ['parameters', 'input_schema', 'parametersJsonSchema', 'parameters_json_schema', 'inputSchema']
/** Keys of the schema of the result: Gemini, and MCP. */
const responseKeys = ['response', 'responseJsonSchema', 'response_json_schema', 'outputSchema']
/** Keys of the examples of the arguments: Anthropic, and its SDKs. */
const exampleKeys = ['input_examples', 'inputExamples']
/** Keys of what contains descriptions: requests, lists, and the wrappers of OpenAI and Gemini. */
const wrapperKeys = ['tools', 'functions', 'function', 'functionDeclarations', 'function_declarations']

const maxReported = 20

/** Limit for the lists and objects around a description; sources have about four. */
const maxWrappers = 100

/**
 * Finds the functions in documents of any form: tools of OpenAI (chat completions, responses, the older `functions`), of
 * Anthropic and of Gemini, alone, in lists or in whole requests.
 */
function readFunctions(documents: readonly FunctionDocument[], found: PartDiagnostic[]): readonly DescribedFunction[] {
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
  for (const [document, { json }] of documents.entries()) visit(json, document, [])
  for (const [create, { count, ...first }] of counts) {
    if (count <= maxReported) continue
    const more = count - maxReported
    const parts = more === 1 ? '1 more entry of the source is' : `${more} more entries of the source are`
    found.push({ diagnostic: { ...create([]), message: `${parts} left out for the same reason.` }, ...first })
  }
  return functions
}

function nameless(keys: Keys): Diagnostic {
  const message = `The entry ${atPointer(pointerOf(keys))} has no name and is left out.`
  return warning('TG6014', message, `Give each function a name: \`${exampleFunction}\`.`)
}

/** Reports a tool of another kind, such as a search that the provider runs. */
function otherTool(keys: Keys): Diagnostic {
  const message = `What stands ${atPointer(pointerOf(keys))} is no function and is left out.`
  const next = 'Nothing, if the provider runs this tool itself; else give it a name and a schema of its arguments.'
  return warning('TG6021', message, next)
}

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

/** Reads a description in any form, without parts that nest too deep for a snapshot. */
function readDescription(
  value: SchemaObject,
  name: string,
  report: DescribedFunction['report'],
): readonly DescribedFunction[] {
  const why = `it nests more than ${maxLevels} levels deep`
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
