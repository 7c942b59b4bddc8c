import { defined, elementAt } from '../defined.js'
import { errorAt, note, warning } from '../diagnostics/diagnostic.js'
import { importedToolNames } from '../ir/tool-names.js'
import { issueText, valueValidator } from '../schema/definitions.js'
import {
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
import { suggestedFacts } from './data-flow.js'
import {
  type DescribedFunction,
  descriptions,
  exampleFunction,
  exampleLeftOut,
  readFunctions,
} from './function-descriptions.js'
import {
  functionDocuments,
  located,
  type PartDiagnostic,
  recordedSource,
  snapshotDocuments,
} from './function-documents.js'
import type { ImportSource } from './sources.js'
import { type ListedTool, toolListChanges } from './tool-list-changes.js'
import { usableSchema } from './tool-schemas.js'
import { renamed, type Side, undescribed, unusableSide } from './tool-source.js'
import { noImport, type SourceTool, snapshotImport, sourceTools, type ToolsetImport } from './toolset-module.js'

interface FunctionsImportOptions {
  /** Relative to the snapshot, which stores this path. */
  readonly from?: string
  readonly earlier?: string
}

/**
 * The output does not depend on the format of the definitions: an import from a snapshot writes the same files as the import that wrote the snapshot.
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
  const sources = declareFunctions(functions)
  const tools = sources.flatMap(({ declared }) => declared ?? [])
  const all = located(found, documents, source.file)
  if (all.some(({ severity }) => severity === 'error')) return noImport(all)
  if (tools.length === 0) {
    const message = `${source.shown} contains no function that can be imported.`
    const next = `Use tools in the format of OpenAI, Anthropic or Gemini, or an array of functions such as \`${exampleFunction}\`.`
    return noImport([...all, errorAt(undefined, 'TG6020', message, next)])
  }
  const recorded = from === undefined ? {} : { from }
  const content = { description: `Functions of ${toolset}.`, tools: sourceTools('functions', sources) }
  const before = earlier === undefined ? undefined : listed(readFunctions(snapshotDocuments(earlier), []))
  const changes = toolListChanges(before, listed(functions))
  return snapshotImport({ kind: 'functions', name: toolset, recorded, tools, content }, changes, all)
}

function listed(functions: readonly DescribedFunction[]): readonly ListedTool[] {
  const counts = new Map<string, number>()
  return functions.map(({ name, written }) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { name: count === 1 ? name : `${name} (${count})`, raw: written }
  })
}

function distinct(functions: readonly DescribedFunction[]): readonly DescribedFunction[] {
  const sorted = (_: string, value: Json): Json =>
    isObject(value) ? objectFrom(Object.entries(value).sort(([a], [b]) => byCodePoint(a, b))) : value
  const known = new Set<string>()
  return functions.filter(({ name, written, report }) => {
    const text = JSON.stringify(written, sorted)
    const isRepeated = known.has(text)
    known.add(text)
    const message = `\`${name}\` is described twice in the same way. One copy is imported.`
    if (isRepeated) report(note('TG6002', message, 'Remove the duplicate.'), 'name')
    return !isRepeated
  })
}

function declareFunctions(functions: readonly DescribedFunction[]): readonly SourceTool[] {
  const names = importedToolNames(functions.map(({ name }) => name))
  const seen = new Set<string>()
  return functions.map((described, index): SourceTool => {
    const { name, title, description, report, response, written: source } = described
    const { tool, toolName } = elementAt(names, index)
    const payload = usableSide(described, 'arguments')
    if (payload === undefined) return { tool, source }
    const result = (response && usableSide(described, 'result')) ?? true
    if (description === undefined) report(undescribed(descriptions, name))
    if (seen.has(name)) {
      const message = `\`${name}\` has several different descriptions; this one gets the tool name \`${toolName}\`.`
      report(warning('TG6022', message, 'Give each function a unique name and import again.'), 'name')
    } else if (toolName !== name) report(renamed(descriptions, name, name, toolName), 'name')
    seen.add(name)
    const facts = { ...usableExamples(described, payload), ...suggestedFacts({ names: [name], payload }, result, {}) }
    const shown = description ?? title ?? name
    return { tool, source, declared: defined({ tool, toolName, title, description: shown, payload, result, facts }) }
  })
}

/** Gemini's keyword for the order of fields. The keyword does not restrict values. */
const fieldOrder = 'propertyOrdering'

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
  // Keywords without effect are removed here, because users cannot edit the snapshot.
  const unknown = diagnostics.filter(({ code }) => code === 'TG3015')
  const read =
    diagnostics.length === 0 ? json : unknown.reduce<Json>((rest, { trail }) => withoutPart(rest, trail), value)
  return usableSchema(side, name, read, descriptions, (each) => report(each, key))
}

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
