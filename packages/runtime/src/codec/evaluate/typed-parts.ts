import { isContainer } from '../json/kind.js'
import { TypedPart } from '../json/unwritable.js'
import { ArrayTrace, ObjectTrace, ScalarTrace, type Trace } from './trace.js'

/** Whether every typed value that was evaluated stands where a schema names its type. */
export function fitsTypes(value: unknown, trace: Trace | undefined): boolean {
  if (value instanceof TypedPart) return !(trace instanceof ScalarTrace) || trace.type === value.type
  if (!isContainer(value) || !(trace instanceof ObjectTrace || trace instanceof ArrayTrace)) return true
  for (const [key, child] of trace.children ?? []) if (!fitsTypes(Reflect.get(value, key), child)) return false
  return true
}
