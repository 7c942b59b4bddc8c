import { defined } from '../defined.js'
import { errorAt } from '../diagnostics/diagnostic.js'
import { elementAt, importedToolNames } from '../ir/names.js'
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
import {
  type DescribedFunction,
  descriptions,
  exampleFunction,
  exampleLeftOut,
  functionDocuments,
  located,
  pathIn,
  readFunctions,
  type SourceDiagnostic,
  writtenDescription,
} from './function-documents.js'
import { isImported } from './names.js'
import type { ImportSource } from './sources.js'
import {
  type ListedTool,
  leftOut,
  note,
  renamed,
  toolListChanges,
  undescribed,
  unknownResult,
  warning,
} from './tool-diagnostics.js'
import { usableSchema } from './tool-schemas.js'
import { type DeclaredTool, noImport, type ToolsetImport, toolsetImport } from './toolset-module.js'

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
  const read = readFunctions(documents)
  const found: SourceDiagnostic[] = [...read.diagnostics]
  const functions = distinct(read.functions, found)
  const tools = declareFunctions(functions, found)
  const all = located(found, documents, source.file)
  if (all.some(({ severity }) => severity === 'error')) return noImport(all)
  if (tools.length === 0) {
    const next = `Give tools of OpenAI, Anthropic or Gemini, or a list of functions such as \`${exampleFunction}\`.`
    return noImport([
      ...all,
      errorAt(undefined, 'TG6020', `${source.shown} describes no function that can be imported.`, next),
    ])
  }
  const declared = {
    kind: 'functions',
    name: toolset,
    description: `Functions of ${toolset}.`,
    tools,
    snapshot: { ...(from !== undefined && { from }), functions: functions.map(writtenDescription) },
  } as const
  return toolsetImport(
    declared,
    earlier === undefined ? [] : toolListChanges(listedIn(earlier), listed(functions)),
    all,
  )
}

/** Returns the path of a snapshot's source, relative to the snapshot; `undefined` for any other text. */
export function recordedSource(text: string): string | undefined {
  if (!isImported(text)) return undefined
  const [snapshot] = functionDocuments({ text, file: '', shown: '' }).value ?? []
  const from = isObject(snapshot?.json) ? own(snapshot.json, 'from') : undefined
  return typeof from === 'string' ? from : undefined
}

function listedIn(snapshot: string): readonly ListedTool[] {
  const { value = [] } = functionDocuments({ text: snapshot, file: '', shown: '' })
  return listed(readFunctions(value).functions)
}

/** Returns functions by their names; several of one name have a number too. */
function listed(functions: readonly DescribedFunction[]): readonly ListedTool[] {
  const counts = new Map<string, number>()
  return functions.map((described) => {
    const { name } = described
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return { name: count === 1 ? name : `${name} (${count})`, raw: writtenDescription(described) }
  })
}

function distinct(
  functions: readonly DescribedFunction[],
  diagnostics: SourceDiagnostic[],
): readonly DescribedFunction[] {
  const sorted = (_: string, value: Json): Json =>
    isObject(value) ? objectFrom(Object.entries(value).sort(([a], [b]) => byCodePoint(a, b))) : value
  const known = new Set<string>()
  return functions.filter((described) => {
    const { name, path } = described
    const text = JSON.stringify(writtenDescription(described), sorted)
    const isRepeated = known.has(text)
    known.add(text)
    if (isRepeated) {
      const message = `\`${name}\` is described twice in the same way; it is taken once.`
      diagnostics.push({ diagnostic: note('TG6002', message, 'Leave one of them out.'), path: pathIn(path, 'name') })
    }
    return !isRepeated
  })
}

/**
 * Declares functions as tools with legal, unique names: models see the function's own name if it is legal and free. Schemas of
 * loose dialects are converted to JSON Schema; others stay as they are.
 */
function declareFunctions(
  functions: readonly DescribedFunction[],
  diagnostics: SourceDiagnostic[],
): readonly DeclaredTool[] {
  const names = importedToolNames(functions.map(({ name }) => name))
  const seen = new Set<string>()
  return functions.flatMap((described, index): readonly DeclaredTool[] => {
    const { name, title, description, response, path } = described
    const { tool, toolName } = elementAt(names, index)
    const report: Report = (diagnostic, ...keys) => {
      diagnostics.push({ diagnostic, path: pathIn(path, ...keys) })
    }
    const payload = usableSide(described, 'arguments', report)
    if (payload === undefined) return []
    const result = response && usableSide(described, 'result', report)
    if (description === undefined) report(undescribed(descriptions, name))
    if (seen.has(name)) {
      const message = `\`${name}\` is described more than once, each time differently; models see this one as \`${toolName}\`.`
      report(warning('TG6022', message, 'Give each function a name of its own, and import again.'), 'name')
    } else if (toolName !== name) report(renamed(descriptions, name, name, toolName), 'name')
    seen.add(name)
    return [
      defined({
        tool,
        toolName,
        title,
        description: description ?? title ?? name,
        payload,
        result: result ?? true,
        facts: examplesOf(described, payload, report),
      }),
    ]
  })
}

type Report = (diagnostic: SourceDiagnostic['diagnostic'], ...keys: readonly (string | number)[]) => void

/** Gemini's order of fields does not affect values. */
const fieldOrder = 'propertyOrdering'

/** Returns the schema of one side as JSON Schema. Reports repairs, and why it cannot be used. */
function usableSide(described: DescribedFunction, side: 'arguments' | 'result', report: Report): Schema | undefined {
  const { name, parameters, response } = described
  const empty = { key: 'name', json: { type: 'object', properties: {} } }
  const { key, json } = (side === 'arguments' ? parameters : response) ?? empty
  const { value, diagnostics } = readPlainSchema(json)
  if (value === undefined) {
    const error = diagnostics.find(({ severity }) => severity === 'error')
    const refused = (side === 'arguments' ? leftOut : unknownResult)(
      descriptions,
      name,
      error?.message ?? 'it cannot be read',
    )
    report({ ...refused, next: error?.next ?? `${descriptions.fix}.` }, key, ...(error?.trail ?? []))
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
function examplesOf({ name, examples }: DescribedFunction, schema: Schema, report: Report): SchemaObject {
  if (examples === undefined) return {}
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined) return {}
  const validate = valueValidator(Object.fromEntries(value.defs), 'reject')
  const all: readonly Json[] = Array.isArray(examples.json) ? examples.json : [examples.json]
  const fitting = all.filter((example, index) => {
    const [issue] = validate(value.root, example)
    if (issue === undefined) return true
    report(exampleLeftOut(name, issueText(issue)), examples.key, index)
    return false
  })
  return fitting.length === 0 ? {} : { examples: fitting }
}
