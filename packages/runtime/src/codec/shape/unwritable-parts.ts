import type { Run } from '../evaluate/run.js'
import { ArrayTrace, ObjectTrace, ScalarTrace, type Trace } from '../evaluate/trace.js'
import { isKnownField } from '../evaluate/undeclared.js'
import { isFields } from '../json/kind.js'
import type { Segment } from '../json/pointer.js'
import { TypedPart, Unwritable } from '../json/unwritable.js'

/** Reports every part that JSON cannot carry, except typed values where the schema names their type, and parts in undeclared fields that are not kept. */
export function reportUnwritable(value: unknown, trace: Trace | undefined, run: Run, keepsUnknown: boolean): void {
  if (value instanceof Unwritable) {
    const isTyped = value instanceof TypedPart && trace instanceof ScalarTrace && trace.type === value.type
    if (!isTyped) report(value, run)
  } else if (Array.isArray(value)) {
    const children = trace instanceof ArrayTrace ? trace.children : undefined
    for (const [index, item] of value.entries()) below(item, index, children?.get(index), run, keepsUnknown)
  } else if (isFields(value)) {
    const known = trace instanceof ObjectTrace ? trace : undefined
    for (const key of Object.keys(value)) {
      if (known !== undefined && !keepsUnknown && !isKnownField(known, key)) continue
      below(value[key], key, known?.children?.get(key), run, keepsUnknown)
    }
  }
}

function below(part: unknown, key: Segment, trace: Trace | undefined, run: Run, keepsUnknown: boolean): void {
  run.path.push(key)
  reportUnwritable(part, trace, run, keepsUnknown)
  run.path.pop()
}

function report({ facts }: Unwritable, run: Run): void {
  // The place of what lies too deep would be a pointer of hundreds of segments: the field that holds it says more.
  const hidden = facts.constraint === 'too_deep' ? run.path.splice(1) : []
  run.report(facts)
  run.path.push(...hidden)
}
