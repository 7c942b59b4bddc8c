import { errorAt, note } from '../diagnostics/diagnostic.js'
import { isObject, type Json, objectFrom } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { type DescribedFunction, exampleFunction, readFunctions } from './function-descriptions.js'
import {
  functionDocuments,
  located,
  type PartDiagnostic,
  recordedSource,
  snapshotDocuments,
} from './function-documents.js'
import { declareFunctions } from './function-tools.js'
import type { ImportSource } from './sources.js'
import { type ListedTool, toolListChanges } from './tool-list-changes.js'
import { noImport, snapshotImport, sourceTools, type ToolsetImport } from './toolset-module.js'

interface FunctionsImportOptions {
  /**
   * Path of the source for later imports, relative to the snapshot. Default: the path that the source records, if it is a
   * snapshot.
   */
  readonly from?: string
  readonly earlier?: string
}

/**
 * Creates a toolset from function definitions. The same functions give the same output, whichever vendor format or snapshot
 * they were read from.
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

/** Returns functions as entries of a tool list. A repeated name gets a number. */
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
