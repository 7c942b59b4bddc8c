import { block, schemaText } from '../emit/schema-text.js'
import type { Json, Schema, SchemaObject } from '../schema/json/json-schema.js'
import { docComment } from '../text/doc-comment.js'
import { flatLiteral, keyText, literalText } from '../text/literal.js'
import { type ImportKind, importNames } from './import-names.js'
import { writtenModule } from './written-module.js'

/** A tool as the module of an imported toolset declares it. */
export interface DeclaredTool {
  /** The key of the tool in the toolset. */
  readonly tool: string
  readonly wireName: string
  readonly title?: string
  readonly description: string
  readonly payload: Schema
  readonly result: Schema
  /** What else a design says of a tool. */
  readonly facts: SchemaObject
}

/** A toolset as an import declares it. */
export interface DeclaredToolset {
  readonly kind: ImportKind
  readonly name: string
  readonly description: string
  /** Further entries of the toolset, as code. */
  readonly entries: readonly string[]
  readonly tools: readonly DeclaredTool[]
}

/** The module that declares a toolset; the same tools give the same bytes. */
export function toolsetModule({ kind, name, description, entries, tools }: DeclaredToolset): string {
  const parts = [entryText('description', description, 2), ...entries, `tools: ${block(tools.map(toolText), 2)}`]
  const words = tools.length === 0 ? 'defineToolset' : 'defineTool, defineToolset'
  const body = `
import { ${words} } from '@toolgen/dsl'

${docComment(description, 0)}
export const ${importNames(kind, name).constant} = defineToolset(${flatLiteral(name)}, ${block(parts, 0)})
`
  return writtenModule(kind, name, body)
}

function toolText({ tool, wireName, title, description, payload, result, facts }: DeclaredTool): string {
  const entries = [
    entryText('description', description, 6),
    ...(title === undefined ? [] : [entryText('title', title, 6)]),
    entryText('wireName', wireName, 6),
    `payload: ${schemaText(payload, 6)}`,
    `result: ${schemaText(result, 6)}`,
    ...Object.entries(facts).map(([fact, value]) => entryText(fact, value, 6)),
  ]
  return `${keyText(tool)}: defineTool(${block(entries, 4)})`
}

/** An entry of an object literal, as code. */
export function entryText(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}
