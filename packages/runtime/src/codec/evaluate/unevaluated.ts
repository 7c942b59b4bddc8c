import { isFields } from '../json/kind.js'
import { keyword } from './keywords.js'
import type { Check } from './node.js'
import type { Site } from './site.js'
import { ArrayTrace, ObjectTrace } from './trace.js'
import { reportUnknown } from './unknown-fields.js'

/**
 * Prepares `unevaluatedProperties` and `unevaluatedItems`. They are checked last, with a trace of what this schema and
 * those within it evaluated, and nothing of the schemas around it.
 */
export function prepareUnevaluated(site: Site): readonly Check[] {
  return [propertiesCheck(site), itemsCheck(site)].filter((check) => check !== undefined)
}

function propertiesCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'unevaluatedProperties')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'unevaluatedProperties')
  return (value, run, trace) => {
    if (!isFields(value) || !(trace instanceof ObjectTrace) || trace.uncertain) return true
    let ok = true
    for (const key of Object.keys(value)) {
      if (trace.isEvaluated(key)) continue
      const part = value[key]
      if (schema === false) ok = reportUnknown(run, key, () => trace.declaredNames())
      else if (!run.descend(node, part, key, trace)) ok = false
      if (!ok && run.quiet) return false
    }
    trace.all = true
    return ok
  }
}

function itemsCheck(site: Site): Check | undefined {
  const schema = keyword(site.schema, 'unevaluatedItems')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'unevaluatedItems')
  return (value, run, trace) => {
    if (!Array.isArray(value) || !(trace instanceof ArrayTrace) || trace.uncertain) return true
    let ok = true
    for (const [index, item] of value.entries()) {
      if (trace.isEvaluated(index) || run.descend(node, item, index, trace)) continue
      if (run.quiet) return false
      ok = false
    }
    trace.evaluated = value.length
    return ok
  }
}
