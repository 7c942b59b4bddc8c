import type { Issue } from '../../contract/issue.js'
import { Choices } from '../issues/choices.js'
import { makeIssue } from '../issues/make-issue.js'
import { type Fields, isContainer, isFields, kindOf } from '../json/kind.js'
import { pointerOf } from '../json/pointer.js'
import { TypedPart } from '../json/unwritable.js'
import type { Discriminator } from './discriminator.js'
import { expectedFacts } from './expected.js'
import { enumFacts, type LiteralTest, literalChoices, literalTest, reportWrongLiteral } from './literals.js'
import type { Run } from './run.js'
import { ObjectTrace, type Trace, traceFor } from './trace.js'
import { reportUndeclared } from './undeclared.js'
import { admits, type Variant } from './variant.js'

/** What issues say of a union, prepared once. */
export interface UnionFacts {
  readonly variants: readonly Variant[]
  /** What the variants are called. */
  readonly names: Choices<string>
  /** The values that match, where they are a list. */
  readonly literals: { readonly choices: Choices; readonly isAllowed: LiteralTest } | undefined
  /** The one format of the texts that match, where a sample of it is known. */
  readonly format: string | undefined
}

/** Prepares what issues say of a union. */
export function unionFacts(variants: readonly Variant[], format: string | undefined): UnionFacts {
  const lists = variants.map((variant) => variant.literals)
  const literals = lists.every((list) => list !== undefined) ? lists.flat() : []
  return {
    variants,
    names: new Choices(variants.map((variant) => variant.name)),
    literals: literals.length > 0 ? { choices: literalChoices(literals), isAllowed: literalTest(literals) } : undefined,
    format,
  }
}

/** Reports that the field which selects the variant is absent or wrong. */
export function reportTag(
  { names }: UnionFacts,
  { field, choices }: Discriminator,
  value: Fields,
  run: Run,
  trace: Trace | undefined,
): false {
  if (trace !== undefined) trace.uncertain = true
  const facts = Object.hasOwn(value, field)
    ? enumFacts(choices, value[field], run)
    : ({ constraint: 'missing_field', field, ...expectedFacts({ literals: choices.all, kinds: undefined }) } as const)
  const nearest = [makeIssue(facts, { path: pointerOf([...run.path, field]) })]
  return run.report({ ...noVariant(names), discriminator: { field, ...choices.listed() }, nearest })
}

/**
 * Reports that no variant matches: as a wrong value or kind where that says it all, as the issues of the only variant
 * for values of this kind, else with the issues of the variant that comes nearest.
 */
export function reportNoVariant(
  { variants, names, literals, format }: UnionFacts,
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): boolean {
  const plain = value instanceof TypedPart ? value.text : value
  if (literals !== undefined && !literals.isAllowed(plain)) {
    return reportWrongLiteral(literals.choices, plain, run)
  }
  const [only, ...others] = variants.filter((variant) => admits(variant, value))
  if (only === undefined) {
    const expected = Object.freeze([...new Set(variants.flatMap((variant) => variant.kinds ?? []))])
    if (expected.length === 0) return run.report({ constraint: 'not_allowed' })
    const facts = { constraint: 'invalid_type', expected, received: kindOf(value) } as const
    return run.report(format === undefined ? facts : { ...facts, format })
  }
  if (others.length === 0) return only.node.check(value, run, trace)
  // Where issues are only counted, no explanation is wanted.
  const nearest = run.issues.isFull ? [] : nearestIssues([only, ...others], value, run, trace)
  if (trace !== undefined) trace.uncertain = true
  return run.report({ ...noVariant(names), ...(nearest.length === 0 ? {} : { nearest }) })
}

function noVariant(names: Choices<string>): {
  readonly constraint: 'no_variant_matches'
  readonly variants: readonly string[]
  readonly more?: number
} {
  const { allowed: variants, ...more } = names.listed()
  return { constraint: 'no_variant_matches', variants, ...more }
}

/** The issues of the variant that was probably meant: the likest one, among equally like ones the one with fewest. */
function nearestIssues(
  possible: readonly Variant[],
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): readonly Issue[] {
  const points = possible.map((variant) => (value instanceof TypedPart ? 0 : variant.likeness(value)))
  const best = Math.max(...points)
  const likest = possible.filter((_, index) => points[index] === best)
  // Within an explanation one candidate is enough: otherwise nested unions would multiply the work.
  const candidates = run.explaining ? likest.slice(0, 1) : likest
  const explained = candidates.map((variant) => run.collect(() => explain(variant, value, run, trace)))
  const [first, ...rest] = explained
  const fewest = rest.reduce((least, issues) => (least && issues.count < least.count ? issues : least), first)
  return fewest?.closed(pointerOf(run.path)) ?? []
}

function explain(variant: Variant, value: unknown, run: Run, outer: Trace | undefined): void {
  const trace = isContainer(value) ? traceFor(value) : undefined
  variant.node.check(value, run, trace)
  if (!run.rejectsUnknown || trace === undefined) return
  // What the schema around the union declares is known as well.
  if (isFields(value) && trace instanceof ObjectTrace && outer instanceof ObjectTrace) {
    for (const key of Object.keys(value)) if (outer.isEvaluated(key) || outer.isRequired(key)) trace.match(key)
  }
  reportUndeclared(value, trace, run)
}
