import type { Issue } from '../contract/issue.js'
import type { JsonSchema } from '../contract/json.js'
import { prepareInterpreter } from './interpreter.js'
import { copyJson } from './json/copy.js'

/**
 * Checks one value against a schema of its own, e.g. an injected field by the field's rule; undeclared fields pass
 * unless the schema forbids them. `path` is put before the paths of the issues. Prepares the schema on every call.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 * @example
 * schemaIssues({ type: 'string', minLength: 1 }, '', '/sessionId') // [{ path: '/sessionId', constraint: 'invalid_length', ... }]
 */
export function schemaIssues(schema: JsonSchema, value: unknown, path: string = ''): readonly Issue[] {
  const decoded = prepareInterpreter({ schema, serverOwned: [], unknown: 'keep' }).decode(copyJson(value))
  if (decoded.ok) return []
  return path === '' ? decoded.issues : decoded.issues.map((issue) => ({ ...issue, path: path + issue.path }))
}
