import { isContainer } from '../json/kind.js'
import { TypedPart } from '../json/unwritable.js'
import { ArrayTrace, ObjectTrace, ScalarTrace, type Trace } from './trace.js'

/**
 * How many of the typed values that a schema evaluated stand where neither it nor the schemas around it, as far as they
 * were evaluated before, name their type.
 */
export function unnamedTypes(value: unknown, trace: Trace | undefined, around: Trace | undefined): number {
  if (value instanceof TypedPart) return trace instanceof ScalarTrace && typeOf(around, trace) !== value.type ? 1 : 0
  if (!isContainer(value) || !(trace instanceof ObjectTrace || trace instanceof ArrayTrace)) return 0
  let count = 0
  for (const [key, child] of trace.children ?? []) {
    count += unnamedTypes(Reflect.get(value, key), child, childOf(around, key))
  }
  return count
}

/** The first schema that names a type counts. */
function typeOf(around: Trace | undefined, { type }: ScalarTrace): ScalarTrace['type'] {
  return around instanceof ScalarTrace ? (around.type ?? type) : type
}

function childOf(trace: Trace | undefined, key: string | number): Trace | undefined {
  if (trace instanceof ObjectTrace) return trace.children?.get(String(key))
  return trace instanceof ArrayTrace ? trace.children?.get(Number(key)) : undefined
}
