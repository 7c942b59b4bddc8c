import { isFields } from '../json/kind.js'
import { Unwritable } from '../json/unwritable.js'
import { entriesKeyword, keyword, listKeyword } from './keywords.js'
import type { Check } from './node.js'
import type { Site } from './site.js'
import { absorb, ObjectTrace, traceFor } from './trace.js'

/** Prepares `allOf`, `not`, `if` with `then` and `else`, and `dependentSchemas`. */
export function prepareComposition(site: Site): readonly Check[] {
  return [allOfCheck(site), notCheck(site), conditionCheck(site), dependentCheck(site)].filter(
    (check) => check !== undefined,
  )
}

function allOfCheck(site: Site): Check | undefined {
  const nodes = listKeyword(site, 'allOf')?.map((schema, index) => site.below(schema, 'allOf', index))
  if (nodes === undefined) return undefined
  return (value, run, trace) => {
    let ok = true
    for (const node of nodes) {
      if (node.check(value, run, trace)) continue
      if (run.quiet) return false
      ok = false
    }
    return ok
  }
}

function notCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'not')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'not')
  return (value, run) => !run.test(node, value, undefined) || run.report({ constraint: 'not_allowed' })
}

function conditionCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'if')
  if (schema === undefined) return undefined
  const condition = site.below(schema, 'if')
  const consequent = keyword(site.schema, 'then')
  const alternative = keyword(site.schema, 'else')
  const met = consequent === undefined ? undefined : site.below(consequent, 'then')
  const unmet = alternative === undefined ? undefined : site.below(alternative, 'else')
  return (value, run, trace) => {
    const learnt = trace === undefined ? undefined : traceFor(value)
    if (!run.test(condition, value, learnt)) return unmet === undefined || unmet.check(value, run, trace)
    if (trace !== undefined && learnt !== undefined) absorb(trace, learnt)
    return met === undefined || met.check(value, run, trace)
  }
}

function dependentCheck(site: Site): Check | undefined {
  const nodes = entriesKeyword(site, 'dependentSchemas')?.map(([name, schema]) => ({
    name,
    node: site.below(schema, 'dependentSchemas', name),
  }))
  if (nodes === undefined) return undefined
  return (value, run, trace) => {
    if (!isFields(value) || value instanceof Unwritable) return true
    let ok = true
    for (const { name, node } of nodes) {
      if (Object.hasOwn(value, name) && !node.check(value, run, trace instanceof ObjectTrace ? trace : undefined)) {
        ok = false
      }
    }
    return ok
  }
}
