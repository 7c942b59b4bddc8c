import { isFields } from '../json/kind.js'
import { loose, type Mode, strict } from '../words/mode.js'
import type { Check } from './node.js'
import { ObjectTrace } from './trace.js'

/** A generated check of one object type. */
export type Gate = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

/** Generated checks by the pointers of the schemas that they check. */
export type Gates = Readonly<Record<string, Gate>>

/** A check that does not look into what a gate accepts, in runs that only look for faults. */
export function gatedCheck(check: Check, gate: Gate): Check {
  return (value, run, trace) => {
    if (!run.isGated || !isFields(value) || !gate(value, run.rejectsUnknown ? strict : loose)) {
      return check(value, run, trace)
    }
    // Nothing in it is undeclared, or nobody asks.
    if (trace instanceof ObjectTrace) trace.all = true
    return true
  }
}
