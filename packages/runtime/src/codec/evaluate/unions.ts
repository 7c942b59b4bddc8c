import { equalityKey } from '../json/equality-key.js'
import { isContainer, isFields } from '../json/kind.js'
import { TypedPart } from '../json/unwritable.js'
import { discriminatorOf, selected } from './discriminator.js'
import { filledListKeyword, keyword } from './keywords.js'
import type { Check } from './node.js'
import type { Run } from './run.js'
import type { Site } from './site.js'
import { absorb, addAlternative, ObjectTrace, type Trace, traceFor } from './trace.js'
import { unnamedTypes } from './typed-parts.js'
import { reportNoVariant, reportTag, unionFacts } from './union-issues.js'
import { admits, prepareVariants, type Variant } from './variant.js'

/** Prepares `anyOf` and `oneOf`. */
export function prepareUnions(site: Site): readonly Check[] {
  return (['anyOf', 'oneOf'] as const)
    .filter((name) => keyword(site.schema, name) !== undefined)
    .map((name) => unionCheck(site, name))
}

function unionCheck(site: Site, name: 'anyOf' | 'oneOf'): Check {
  filledListKeyword(site, name)
  const variants = prepareVariants(site, name)
  const facts = unionFacts(variants, site.facts.format(site))
  const discriminator = discriminatorOf(variants)
  const isExclusive = name === 'oneOf'
  const candidates = candidatesOf(variants)
  return (value, run, trace) => {
    if (discriminator !== undefined && isFields(value) && !(value instanceof TypedPart)) {
      const variant = selected(discriminator, value)
      // No other variant can match than the selected one: its issues are the union's.
      if (variant !== undefined) return isAccepted(variant, value, run, trace) || variant.node.check(value, run, trace)
      return run.quiet ? false : reportTag(facts, discriminator, value, run, trace)
    }
    const judgesTypes = run.judgesTypes && site.index.typed && !isExclusive
    const { matching, learnt } = judgesTypes
      ? matchTyped(variants, value, run, trace)
      : match({ candidates, isExclusive }, value, run, trace)
    if (matching.length === 1 || (matching.length > 1 && !isExclusive)) {
      if (trace !== undefined && learnt !== undefined) absorb(trace, learnt)
      return true
    }
    if (run.quiet) return false
    if (matching.length === 0) return reportNoVariant(facts, value, run, trace)
    if (trace !== undefined) trace.uncertain = true
    return run.report({ constraint: 'several_variants_match', matching })
  }
}

/** Whether generated code accepts what selects a variant. */
function isAccepted({ node }: Variant, value: unknown, run: Run, trace: Trace | undefined): boolean {
  // Of undeclared fields that are no faults the trace has to know.
  if (!(trace === undefined || run.rejectsUnknown) || !run.accepts(node, value)) return false
  if (trace instanceof ObjectTrace) trace.all = true
  return true
}

interface Alternatives {
  /** The variants that may match a value, with their indices. */
  readonly candidates: (value: unknown) => Iterable<readonly [number, Variant]>
  /** Exactly one may match. */
  readonly isExclusive: boolean
}

/** Which variants match, and what is learnt from them. */
interface Matching {
  readonly matching: readonly number[]
  readonly learnt: Trace | undefined
}

/** Variants that each allow a few values only are found by the value, however many there are. */
function candidatesOf(variants: readonly Variant[]): Alternatives['candidates'] {
  const byLiteral = new Map<string, (readonly [number, Variant])[]>()
  for (const [index, variant] of variants.entries()) {
    if (variant.literals === undefined) return () => variants.entries()
    for (const key of new Set(variant.literals.map(equalityKey))) {
      const known = byLiteral.get(key)
      if (known === undefined) byLiteral.set(key, [[index, variant]])
      else known.push([index, variant])
    }
  }
  return (value) => byLiteral.get(equalityKey(value)) ?? []
}

function match(
  { candidates, isExclusive }: Alternatives,
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): Matching {
  const isTraced = trace !== undefined
  const matching: number[] = []
  let learnt: Trace | undefined
  for (const [index, variant] of candidates(value)) {
    if (!admits(variant, value)) continue
    const own = isTraced && (isContainer(value) || variant.node.typed) ? traceFor(value) : undefined
    if (!run.test(variant.node, value, own)) continue
    matching.push(index)
    // Which other variants match matters only for what they evaluate; the type of a text is the first one's to say.
    if (!isExclusive && (!isTraced || !isContainer(value))) return { matching, learnt: own }
    if (learnt === undefined) learnt = own
    else if (own !== undefined) addAlternative(learnt, own)
  }
  return { matching, learnt }
}

/** As {@link match}; but the variants that name the types of most of the typed values come first. */
function matchTyped(variants: readonly Variant[], value: unknown, run: Run, trace: Trace | undefined): Matching {
  const found: { readonly index: number; readonly own: Trace; readonly unnamed: number }[] = []
  for (const [index, variant] of variants.entries()) {
    if (!admits(variant, value)) continue
    const own = traceFor(value)
    if (run.test(variant.node, value, own)) found.push({ index, own, unnamed: unnamedTypes(value, own, trace) })
  }
  found.sort((a, b) => a.unnamed - b.unnamed)
  const [first, ...others] = found
  if (first !== undefined) for (const { own } of others) addAlternative(first.own, own)
  return { matching: found.map(({ index }) => index), learnt: first?.own }
}
