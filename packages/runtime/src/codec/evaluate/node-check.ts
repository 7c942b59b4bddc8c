import { isContainer, isFields } from '../json/kind.js'
import { TypedPart, Unwritable } from '../json/unwritable.js'
import type { ArrayCheck, Check, NumberCheck, ObjectCheck, StringCheck } from './node.js'
import type { Run } from './run.js'
import { ArrayTrace, absorb, ObjectTrace, type Trace, traceFor } from './trace.js'
import type { TypedCheck } from './typed-check.js'

/**
 * How many schemas may be applied within each other to one value: what the stack surely holds. A plain recursive schema
 * takes one for each level of the value.
 */
const MAX_NESTING = 600

/** The checks that a schema object was prepared to. */
export interface NodeChecks {
  /** `enum`, `const` and `type`, in this order; where one fails, the rest would only repeat it. */
  readonly first: readonly ((value: unknown, run: Run) => boolean)[]
  readonly typed: TypedCheck | undefined
  /** Whether some schema of the document names a type: typed values are then judged by their wire form. */
  readonly isTypedDocument: boolean
  readonly strings: readonly StringCheck[]
  readonly numbers: readonly NumberCheck[]
  readonly arrays: readonly ArrayCheck[]
  readonly objects: readonly ObjectCheck[]
  readonly references: readonly Check[]
  /** The other subschemas for the same value. */
  readonly inPlace: readonly Check[]
  /** Checked after all others, with a trace of their own. */
  readonly unevaluated: readonly Check[]
}

/** Joins the checks of a schema to one. */
export function joinChecks(checks: NodeChecks): Check {
  const { first, references, typed, unevaluated } = checks
  const inPlace = [...references, ...checks.inPlace]
  const hasKinds = [checks.strings, checks.numbers, checks.arrays, checks.objects].some((list) => list.length > 0)
  const [only] = references
  // A schema that only refers to another needs no check of its own.
  if (only !== undefined && inPlace.length === 1 && first.length + unevaluated.length === 0 && !hasKinds && !typed)
    return only

  function check(given: unknown, run: Run, trace: Trace | undefined): boolean {
    const isPart = run.faulty && given instanceof Unwritable
    if (isPart && !(checks.isTypedDocument && given instanceof TypedPart)) return true
    const value = isPart && given instanceof TypedPart ? given.text : given
    if (run.nesting >= MAX_NESTING) return run.exhaust()
    run.nesting++
    let ok = true
    for (let index = 0; ok && index < first.length; index++) ok = first[index]?.(value, run) !== false
    let goesOn = ok
    if (goesOn && typed !== undefined && typeof value === 'string' && !typed(value, run, trace)) {
      ok = false
      goesOn = !run.quiet
    }
    if (goesOn && hasKinds && !checkKind(checks, value, run, trace)) {
      ok = false
      goesOn = !run.quiet
    }
    for (let index = 0; goesOn && index < inPlace.length; index++) {
      // What applies to the same value is to know, too, that a typed value was given.
      if (inPlace[index]?.(given, run, trace) !== false) continue
      ok = false
      goesOn = !run.quiet
    }
    run.nesting--
    return ok
  }

  if (unevaluated.length === 0) return check
  return (value, run, trace) => {
    if (!isContainer(value) || (run.faulty && value instanceof Unwritable)) return check(value, run, trace)
    const own = traceFor(value)
    let ok = check(value, run, own)
    if (!ok && run.quiet) return false
    for (const test of unevaluated) if (!test(value, run, own)) ok = false
    if (trace !== undefined) absorb(trace, own)
    return ok
  }
}

function checkKind(checks: NodeChecks, value: unknown, run: Run, trace: Trace | undefined): boolean {
  if (typeof value === 'string') return checkAll(checks.strings, value, run, undefined)
  if (typeof value === 'number') return checkAll(checks.numbers, value, run, undefined)
  if (Array.isArray(value)) {
    return checkAll(checks.arrays, value, run, trace instanceof ArrayTrace ? trace : undefined)
  }
  if (!isFields(value)) return true
  return checkAll(checks.objects, value, run, trace instanceof ObjectTrace ? trace : undefined)
}

function checkAll<Value, Learnt>(
  tests: readonly ((value: Value, run: Run, trace: Learnt) => boolean)[],
  value: Value,
  run: Run,
  trace: Learnt,
): boolean {
  let ok = true
  for (let index = 0; index < tests.length; index++) {
    if (tests[index]?.(value, run, trace) !== false) continue
    if (run.quiet) return false
    ok = false
  }
  return ok
}
