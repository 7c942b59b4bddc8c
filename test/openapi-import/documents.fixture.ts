import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'yaml'
import { block, entry, schemaText, typedEntry } from '../../packages/codegen/src/emit/layout.js'
import type { ImportSource } from '../../packages/codegen/src/imports/sources.js'
import type { ToolsetImport } from '../../packages/codegen/src/imports/toolset-module.js'
import { keyText } from '../../packages/codegen/src/text.js'
import { dataFolder } from '../data.js'

/** An OpenAPI document of the data folder. */
export interface TestedDocument {
  /** Name of the toolset. */
  readonly name: string
  /** Path below the folder of documents. */
  readonly file: string
  /** Number of operations, and number of operations that are left out because no value is valid for their arguments. */
  readonly operations: number
  readonly lost?: number
}

/** All documents except GitHub's, which has its own test file. */
export const documents: readonly TestedDocument[] = [
  { name: 'asana', file: 'asana.yaml.gz', operations: 247 },
  { name: 'notion', file: 'notion.json', operations: 24 },
  { name: 'pets', file: 'swagger_petstore_v3.yaml', operations: 19 },
  { name: 'verify', file: 'twilio_verify_v2.json', operations: 57 },
  { name: 'links', file: 'small/oai_link-example.yaml', operations: 6 },
  { name: 'petsExpanded', file: 'small/oai_petstore-expanded.yaml', operations: 4 },
  { name: 'petsSmall', file: 'small/oai_petstore.yaml', operations: 3 },
  { name: 'uspto', file: 'small/oai_uspto.yaml', operations: 3 },
  { name: 'callbacks', file: 'small/readme30_callbacks.json', operations: 1 },
  { name: 'nesting', file: 'small/readme30_complex-nesting.json', operations: 5 },
  { name: 'styles', file: 'small/readme30_parameters-style.json', operations: 25 },
  { name: 'schemas30', file: 'small/readme30_schema-types.json', operations: 21, lost: 2 },
  { name: 'schemas31', file: 'small/readme31_schema-types.json', operations: 23, lost: 2 },
]

/** Returns a document as the source of an import. */
export function sourceOf(file: string): ImportSource {
  const bytes = readFileSync(join(dataFolder() ?? '', 'openapi', file))
  const name = file.replace(/\.gz$/, '')
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return { text, file: name, shown: `\`${name}\`` }
}

/** Returns a document as data. */
export function parsedDocument(file: string): any {
  const { text, file: name } = sourceOf(file)
  return name.endsWith('.json') ? JSON.parse(text) : parse(text)
}

/** Returns the toolset of a snapshot as data. */
export function contentOf({ files }: Pick<ToolsetImport, 'files'>): any {
  return JSON.parse(files.find(({ path }) => path.endsWith('.json'))?.text ?? '{}')
}

/** Returns the toolset of a snapshot as source text, with one schema field per line. Returns an empty text after an error. */
export function toolsetText(imported: Pick<ToolsetImport, 'files'>): string {
  if (imported.files.length === 0) return ''
  const { server, security, definitions = {}, tools } = contentOf(imported)
  const shared = Object.entries<any>(definitions).map(([name, schema]) => `${keyText(name)}: ${schemaText(schema, 4)}`)
  const declared = Object.entries<any>(tools).map(([tool, { id: _, operation: __, payload, result, ...facts }]) => {
    const own = Object.entries<any>(facts).map(([fact, value]) => entry(fact, value, 6))
    const schemas = [`payload: ${schemaText(payload, 6)}`, `result: ${schemaText(result, 6)}`]
    return `${keyText(tool)}: defineTool(${block([...own, ...schemas], 4)})`
  })
  const operations = Object.entries<any>(tools).map(([tool, { operation }]) => typedEntry(tool, operation, 6))
  const api = [
    ...(server === undefined ? [] : [typedEntry('server', server, 4)]),
    ...(security === undefined ? [] : [typedEntry('security', security, 4)]),
    `operations: ${block(operations, 4)}`,
  ]
  return block([`definitions: ${block(shared, 2)}`, `openapi: ${block(api, 2)}`, `tools: ${block(declared, 2)}`], 0)
}
