import { readDocument } from '../../codec/evaluate/prepare.js'
import { isFields } from '../../codec/json/kind.js'
import type { JsonSchemaObject } from '../../contract/json.js'
import type { ToolSpec } from '../../contract/spec.js'
import type { Projection, ProjectionChange, Report } from '../report/change.js'
import { objectRoot } from '../schema/object-root.js'
import { geminiSchema } from './gemini-schema.js'

/** A function declaration of the Gemini API. */
export interface GeminiTool {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema: JsonSchemaObject
}

/**
 * A function declaration for Gemini, with its arguments in the part of JSON Schema that Gemini reads. What it does not
 * read stands in the descriptions. A name that it refuses is reported as a `fallback`.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
 * @example
 * const { tool } = geminiTool(getOrderSpec)
 * const config = { tools: [{ functionDeclarations: [tool] }] }
 */
export function geminiTool(spec: ToolSpec): Projection<GeminiTool> {
  const changes: ProjectionChange[] = []
  const report: Report = (change) => changes.push(change)
  if (!/^[a-zA-Z_]/.test(spec.wireName)) {
    const message = 'Gemini takes only names that begin with a letter or `_`; give the tool another wire name.'
    report({ pointer: '', keyword: 'wireName', kind: 'fallback', message, loosens: false })
  }
  const root = objectRoot(spec.arguments, { vendor: 'Gemini', report })
  const schema = geminiSchema(root, '', readDocument(root), report)
  const parametersJsonSchema = isFields(schema) ? schema : root
  return { tool: { name: spec.wireName, description: spec.description, parametersJsonSchema }, changes }
}
