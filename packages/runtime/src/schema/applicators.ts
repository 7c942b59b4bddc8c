import { type ArrayCheck, absorb, type Check, type Node, ObjectTrace, type Site, traceFor } from './evaluation.js'
import { equalityKey, isFields } from './json-values.js'
import {
  countKeyword,
  entriesKeyword,
  flagKeyword,
  keyword,
  listKeyword,
  SchemaError,
  textKeyword,
} from './keywords.js'
import { lengthReport } from './scalars.js'
import { Unwritable } from './unwritable.js'

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

/** Maximum depth of a dynamic reference within itself: more than the depth of a value. */
const longestChain = 500

/** Prepares `$ref` and `$dynamicRef`. */
export function prepareReferences(site: Site): readonly Check[] {
  return [staticCheck(site), dynamicCheck(site)].filter((check) => check !== undefined)
}

function staticCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$ref')
  if (reference === undefined) return undefined
  const target = site.target(site.index.resolve(reference, site))
  return (value, run, trace) => target.check(value, run, trace)
}

/**
 * A `$dynamicRef` whose target is a `$dynamicAnchor` leads to the same anchor of the outermost resource that evaluation
 * is within; any other is a `$ref`.
 */
function dynamicCheck(site: Site): Check | undefined {
  const reference = textKeyword(site, '$dynamicRef')
  if (reference === undefined) return undefined
  const { index } = site
  const first = index.resolve(reference, site)
  const target = site.target(first)
  const anchor = index.dynamicAnchorOf(first)
  if (anchor === undefined || !reference.endsWith(`#${anchor}`)) {
    return (value, run, trace) => target.check(value, run, trace)
  }
  const targets = new Map<string, Node>()
  for (const located of index.dynamicAnchors(anchor)) targets.set(located.base, site.target(located))
  let chained = 0
  return (value, run, trace) => {
    const resource = run.scope.find((base) => targets.has(base))
    const node = (resource === undefined ? undefined : targets.get(resource)) ?? target
    if (chained > longestChain) throw new SchemaError(site.pointer, '`$dynamicRef` leads back to itself.')
    chained++
    try {
      return node.check(value, run, trace)
    } finally {
      chained--
    }
  }
}

/** Prepares what constrains arrays. */
export function prepareArrays(site: Site): readonly ArrayCheck[] {
  return [lengthCheck(site), itemsCheck(site), containsCheck(site), uniqueCheck(site)].filter(
    (check) => check !== undefined,
  )
}

function lengthCheck(site: Site): ArrayCheck | undefined {
  const minimum = countKeyword(site, 'minItems')
  const maximum = countKeyword(site, 'maxItems')
  if (minimum === undefined && maximum === undefined) return undefined
  const report = lengthReport('items', minimum, maximum)
  return ({ length }, run) => (length >= (minimum ?? 0) && length <= (maximum ?? length)) || report(length, run)
}

function itemsCheck(site: Site): ArrayCheck | undefined {
  const first = (listKeyword(site, 'prefixItems') ?? []).map((schema, index) =>
    site.below(schema, 'prefixItems', index),
  )
  const schema = keyword(site.schema, 'items')
  if (schema === false) return tupleCheck(first)
  const rest = schema === undefined ? undefined : site.below(schema, 'items')
  if (rest === undefined && first.length === 0) return undefined
  return (items, run, trace) => {
    let ok = true
    const count = rest === undefined ? Math.min(first.length, items.length) : items.length
    for (let index = 0; index < count; index++) {
      const node = first[index] ?? rest
      const item = items[index]
      if (node !== undefined && !run.descend(node, item, index, trace)) {
        if (run.quiet) return false
        ok = false
      }
    }
    if (trace !== undefined) trace.evaluated = Math.max(trace.evaluated, count)
    return ok
  }
}

/** `items: false`: nothing may follow the first items. Too many are one fault, not one for each. */
function tupleCheck(first: readonly Node[]): ArrayCheck {
  return (items, run, trace) => {
    let ok = true
    for (const [index, node] of first.entries()) {
      if (index >= items.length) break
      if (!run.descend(node, items[index], index, trace)) ok = false
    }
    if (trace !== undefined) trace.evaluated = items.length
    if (items.length <= first.length) return ok
    return run.report({ constraint: 'invalid_length', unit: 'items', received: items.length, maximum: first.length })
  }
}

function containsCheck(site: Site): ArrayCheck | undefined {
  const schema = keyword(site.schema, 'contains')
  const minimum = countKeyword(site, 'minContains') ?? 1
  const maximum = countKeyword(site, 'maxContains')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'contains')
  return (items, run, trace) => {
    let found = 0
    for (const [index, item] of items.entries()) {
      if (!run.test(node, item, undefined)) continue
      found++
      trace?.match(index)
    }
    if (found >= minimum && found <= (maximum ?? found)) return true
    return run.report({ constraint: 'invalid_contains', found, minimum, ...(maximum === undefined ? {} : { maximum }) })
  }
}

function uniqueCheck(site: Site): ArrayCheck | undefined {
  if (flagKeyword(site, 'uniqueItems') !== true) return undefined
  return (items, run) => {
    let ok = true
    const seen = new Map<string, number>()
    for (const [second, item] of items.entries()) {
      const key = equalityKey(item)
      const first = seen.get(key)
      if (first === undefined) seen.set(key, second)
      else ok = run.report({ constraint: 'not_unique', first, second })
      if (!ok && run.quiet) return false
    }
    return ok
  }
}
