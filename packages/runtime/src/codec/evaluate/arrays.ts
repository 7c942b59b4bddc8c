import { equalityKey } from '../json/equality-key.js'
import { countKeyword, flagKeyword, keyword, listKeyword } from './keywords.js'
import { lengthReport } from './length-report.js'
import type { ArrayCheck, Node } from './node.js'
import type { Site } from './site.js'

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
