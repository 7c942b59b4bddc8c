import { isContainer, isFields } from '../json/kind.js'
import type { Node } from './node.js'
import type { Run } from './run.js'
import { ArrayTrace, ObjectTrace, type Trace, traceFor } from './trace.js'
import { reportUnknown } from './unknown-fields.js'

/** Whether a field is known: evaluated or required by some schema, or part of an object whose fields nobody lists. */
export function isKnownField(trace: ObjectTrace, key: string): boolean {
  return isKnownAsAWhole(trace) || trace.isEvaluated(key) || trace.isRequired(key)
}

/** Whether every field of the object is known. */
function isKnownAsAWhole(trace: ObjectTrace): boolean {
  return !trace.closed || trace.uncertain || trace.all
}

/**
 * The trace for a value where only issues are wanted: it tells what several schemas leave undeclared. None where one
 * schema alone says what the value may hold: that one looks for itself.
 */
export function traceOfJoint(value: unknown, node: Node, run: Run): Trace | undefined {
  if (!(node.isJoint || node.joins) || !run.seeksUndeclared || !isContainer(value)) return undefined
  const trace = traceFor(value)
  run.postponed.add(() => reportUndeclared(value, trace, run), run.path)
  return trace
}

/** Reports every field of a value, at any depth, that no applicable schema declares. */
export function reportUndeclared(value: unknown, trace: Trace, run: Run): void {
  if (run.isOver) return
  if (trace instanceof ObjectTrace && isFields(value)) {
    if (!isKnownAsAWhole(trace)) {
      // Parts are plain JSON: they inherit no keys, and this way no list is made.
      for (const key in value) if (!isKnownField(trace, key)) reportUnknown(run, key, () => trace.knownNames())
    }
    if (trace.children !== undefined) for (const [key, child] of trace.children) below(value[key], key, child, run)
  } else if (trace instanceof ArrayTrace && Array.isArray(value)) {
    if (trace.children !== undefined)
      for (const [index, child] of trace.children) below(value[index], index, child, run)
  }
}

function below(part: unknown, key: string | number, trace: Trace, run: Run): void {
  run.path.push(key)
  reportUndeclared(part, trace, run)
  run.path.pop()
}
