import { isObject, own } from '../../schema/json/json.js'
import { importNames, importNote, isImported } from '../import-names.js'
import type { ImportSource } from '../read-source.js'
import { type ListedTool, toolListChanges } from '../tool-list-changes.js'
import { noImport, type ToolsetImport } from '../toolset-import.js'
import { toolsetModule } from '../toolset-module.js'
import { declareFunctions, withoutRepeats } from './declared-functions.js'
import { type DescribedFunction, writtenDescription } from './described-function.js'
import { noFunctions } from './function-diagnostics.js'
import { functionDocuments } from './function-documents.js'
import { readFunctions } from './read-functions.js'
import { placed } from './source-finding.js'

/** What an import of functions reads beside its source. */
export interface FunctionsImportOptions {
  /** Where the source is, for a later import: relative to the snapshot. Default: what the source says, if it is a snapshot. */
  readonly from?: string
  /** The snapshot of an earlier import. */
  readonly earlier?: string
}

/**
 * Makes a toolset of functions that were described to models. The same functions give the same bytes whatever the form of
 * their descriptions, also when they come from the snapshot of an earlier import.
 */
export function importFunctions(
  toolset: string,
  source: ImportSource,
  { from = recordedSource(source.text), earlier }: FunctionsImportOptions = {},
): ToolsetImport {
  const { value: documents, diagnostics } = functionDocuments(source)
  if (documents === undefined) return noImport(diagnostics)
  const read = readFunctions(documents)
  const { functions, findings } = withoutRepeats(read.functions)
  const declared = declareFunctions(functions)
  const found = placed([...read.findings, ...findings, ...declared.findings], documents, source.file)
  const { tools } = declared
  const isBroken = found.some(({ severity }) => severity === 'error')
  if (isBroken) return noImport(found)
  if (tools.length === 0) return noImport([...found, noFunctions(source.shown)])
  const names = importNames('functions', toolset)
  const snapshot = {
    about: importNote('functions', toolset),
    ...(from !== undefined && { from }),
    functions: functions.map(writtenDescription),
  }
  const module = {
    kind: 'functions',
    name: toolset,
    description: `Functions of ${toolset}.`,
    entries: [],
    tools,
  } as const
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: toolsetModule(module) },
    ],
    tools: tools.length,
    described: tools.filter(({ result }) => result !== true).length,
    changes: earlier === undefined ? [] : toolListChanges(listedIn(earlier), listed(functions)),
    diagnostics: found,
  }
}

/** Where the functions of a snapshot came from, relative to it; `undefined` for what is no snapshot or does not say so. */
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

/** Functions by their names; several of one name by a number too. */
function listed(functions: readonly DescribedFunction[]): readonly ListedTool[] {
  const given = new Map<string, number>()
  return functions.map((described) => {
    const { name } = described
    const count = (given.get(name) ?? 0) + 1
    given.set(name, count)
    return { name: count === 1 ? name : `${name} (${count})`, raw: writtenDescription(described) }
  })
}
