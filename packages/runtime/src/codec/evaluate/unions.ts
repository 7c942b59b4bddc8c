import { type Fields, isContainer, isFields } from '../json/kind.js'
import { type Discriminator, discriminatorOf, selected } from './discriminator.js'
import { keyword, listKeyword } from './keywords.js'
import type { Check } from './node.js'
import type { Run } from './run.js'
import type { Site } from './site.js'
import { absorb, addAlternative, type Trace, traceFor } from './trace.js'
import { reportNoVariant, reportTag } from './union-issues.js'
import { admits, prepareVariants, type Variant } from './variant.js'

/** Prepares `anyOf` and `oneOf`. */
export function prepareUnions(site: Site): readonly Check[] {
  return (['anyOf', 'oneOf'] as const)
    .filter((name) => keyword(site.schema, name) !== undefined)
    .map((name) => unionCheck(site, name))
}

function unionCheck(site: Site, name: 'anyOf' | 'oneOf'): Check {
  listKeyword(site, name)
  const variants = prepareVariants(site, name)
  const discriminator = discriminatorOf(variants)
  const isExclusive = name === 'oneOf'
  return (value, run, trace) => {
    if (discriminator !== undefined && isFields(value)) return checkSelected(discriminator, value, run, trace)
    const { matching, learnt } = match({ variants, isExclusive }, value, run, trace)
    if (matching.length === 1 || (matching.length > 1 && !isExclusive)) {
      if (trace !== undefined && learnt !== undefined) absorb(trace, learnt)
      return true
    }
    if (run.quiet) return false
    if (matching.length === 0) return reportNoVariant(variants, value, run, trace)
    if (trace !== undefined) trace.uncertain = true
    return run.report({ constraint: 'several_variants_match', matching })
  }
}

/** No other variant can match than the selected one: its issues are the union's. */
function checkSelected(discriminator: Discriminator, value: Fields, run: Run, trace: Trace | undefined): boolean {
  const variant = selected(discriminator, value)
  if (variant !== undefined) return variant.node.check(value, run, trace)
  return run.quiet ? false : reportTag(discriminator, value, run, trace)
}

function match(
  { variants, isExclusive }: { readonly variants: readonly Variant[]; readonly isExclusive: boolean },
  value: unknown,
  run: Run,
  trace: Trace | undefined,
): { readonly matching: readonly number[]; readonly learnt: Trace | undefined } {
  const isTraced = trace !== undefined && isContainer(value)
  const matching: number[] = []
  let learnt: Trace | undefined
  for (const [index, variant] of variants.entries()) {
    if (!admits(variant, value)) continue
    const own = isTraced ? traceFor(value) : undefined
    if (!run.test(variant.node, value, own)) continue
    matching.push(index)
    // Which other variants match matters only for what they evaluate.
    if (own === undefined && !isExclusive) break
    if (learnt === undefined) learnt = own
    else if (own !== undefined) addAlternative(learnt, own)
  }
  return { matching, learnt }
}
