import type { Issue } from '../../contract/issue.js'
import { makeIssue } from '../issues/make-issue.js'
import { type Fields, isContainer, isFields, kindOf } from '../json/kind.js'
import { pointerOf } from '../json/pointer.js'
import type { Discriminator } from './discriminator.js'
import { enumFacts, literalTest } from './literals.js'
import type { Run } from './run.js'
import { ObjectTrace, type Trace, traceFor } from './trace.js'
import { reportUndeclared } from './undeclared.js'
import { admits, type Variant } from './variant.js'

/** Reports that the field which selects the variant is absent or wrong. */
export function reportTag(discriminator: Discriminator, value: Fields, run: Run, trace: Trace | undefined): false {
  const { field, allowed, byLiteral } = discriminator
  if (trace !== undefined) trace.uncertain = true
  const facts = Object.hasOwn(value, field)
    ? enumFacts(allowed, value[field])
    : ({ constraint: 'missing_field', field } as const)
  const variants = [...new Set([...byLiteral.values()].map((variant) => variant.name))]
  const nearest = [makeIssue(facts, { path: pointerOf([...run.path, field]) })]
  return run.report({ constraint: 'no_variant_matches', variants, discriminator: { field, allowed }, nearest })
}

/**
 * Reports that no variant matches: as a wrong value or kind where that says it all, as the issues of the only variant
 * for values of this kind, else with the issues of the variant that comes nearest.
 */
export function reportNoVariant(
  variants: readonly Variant[],
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): boolean {
  const literals = variants.map((variant) => variant.literals)
  if (literals.every((list) => list !== undefined) && !literalTest(literals.flat())(value)) {
    return run.report(enumFacts(literals.flat(), value))
  }
  const [only, ...others] = variants.filter((variant) => admits(variant, value))
  if (only === undefined) {
    const expected = [...new Set(variants.flatMap((variant) => variant.kinds ?? []))]
    return run.report({ constraint: 'invalid_type', expected, received: kindOf(value) })
  }
  if (others.length === 0) return only.node.check(value, run, trace)
  const nearest = nearestIssues([only, ...others], value, run, trace)
  if (trace !== undefined) trace.uncertain = true
  return run.report({
    constraint: 'no_variant_matches',
    variants: variants.map((variant) => variant.name),
    ...(nearest.length === 0 ? {} : { nearest }),
  })
}

/** The issues of the variant that was probably meant: the likest one, among equally like ones the one with fewest. */
function nearestIssues(
  possible: readonly Variant[],
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): readonly Issue[] {
  const points = possible.map((variant) => variant.likeness(value))
  const best = Math.max(...points)
  const likest = possible.filter((_, index) => points[index] === best)
  // Within an explanation one candidate is enough: otherwise nested unions would multiply the work.
  const candidates = run.explaining ? likest.slice(0, 1) : likest
  const explained = candidates.map((variant) => run.collect(() => explain(variant, value, run, trace)))
  return explained.reduce((fewest, issues) => (issues.length < fewest.length ? issues : fewest), explained[0] ?? [])
}

function explain(variant: Variant, value: unknown, run: Run, outer: Trace | undefined): void {
  const trace = isContainer(value) ? traceFor(value) : undefined
  variant.node.check(value, run, trace)
  if (!run.rejectsUnknown || trace === undefined) return
  // What the schema around the union declares is known as well.
  if (isFields(value) && trace instanceof ObjectTrace && outer instanceof ObjectTrace) {
    for (const key of Object.keys(value)) if (outer.isEvaluated(key)) trace.match(key)
  }
  reportUndeclared(value, trace, run)
}
