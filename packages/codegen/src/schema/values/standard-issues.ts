import { isStandardSchema } from '../intake/standard-json-schema.js'

/** What a library says against a value. */
export interface LibraryIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/**
 * The issues that a schema's own `~standard.validate` finds at once. A plain JSON Schema finds none, and one that has to
 * wait for its answer is not waited for.
 */
export function issuesOf(schema: unknown, value: unknown): readonly LibraryIssue[] {
  if (!isStandardSchema(schema)) return []
  const standard = schema['~standard']
  if (standard.validate === undefined) return []
  let outcome: unknown
  try {
    outcome = standard.validate(value)
  } catch (error) {
    return [{ path: [], message: `its check threw: ${error instanceof Error ? error.message : String(error)}` }]
  }
  if (outcome instanceof Promise) {
    // An answer that comes later decides nothing here, and must not end the process when it is an error.
    outcome.catch(() => undefined)
    return []
  }
  const issues = typeof outcome === 'object' && outcome !== null && 'issues' in outcome ? outcome.issues : undefined
  return Array.isArray(issues) ? issues.map(readIssue) : []
}

function readIssue(issue: unknown): LibraryIssue {
  if (typeof issue !== 'object' || issue === null) return { path: [], message: 'refused' }
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path : []
  const message = 'message' in issue && typeof issue.message === 'string' ? issue.message : 'refused'
  return { path: path.map(keyOf), message }
}

/** A step of a path is a key or an object that holds one. */
function keyOf(step: unknown): string | number {
  const key = typeof step === 'object' && step !== null && 'key' in step ? step.key : step
  return typeof key === 'number' ? key : String(key)
}
