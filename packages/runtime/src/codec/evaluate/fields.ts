import { Choices } from '../issues/choices.js'
import { isInherited, keyCount } from '../json/own.js'
import type { Pattern } from '../pattern/pattern.js'
import { entriesKeyword, keyword } from './keywords.js'
import type { Node, ObjectCheck } from './node.js'
import type { DeclaredField, ObjectTable } from './object-table.js'
import { preparePattern } from './patterns.js'
import type { Site } from './site.js'
import { knownNames, reportOthers, reportUnknown } from './unknown-fields.js'

interface PatternField {
  readonly pattern: Pattern
  readonly node: Node
}

/** Prepares `properties`, `patternProperties` and `additionalProperties`, which depend on each other. */
export function fieldChecks(site: Site): ObjectCheck | undefined {
  const table = declaredTable(site)
  const patterns = patternFields(site)
  const additional = keyword(site.schema, 'additionalProperties')
  const others = additional === undefined ? undefined : site.below(additional, 'additionalProperties')
  const isClosed = additional === false
  if (table === undefined && patterns === undefined && others === undefined) return undefined
  const fields = table?.fields ?? []
  const choices = table?.choices ?? new Choices<string>([])
  const looksAtAll = patterns !== undefined || others !== undefined
  const known = table === undefined || looksAtAll ? undefined : knownNames(site, table)

  return (value, run, trace) => {
    let ok = true
    if (trace !== undefined) {
      if (table !== undefined) trace.declare(table)
      if (patterns !== undefined) trace.closed = true
      if (others !== undefined) trace.all = true
    }
    // Where nothing is learnt of the value, no other schema declares any field of it.
    const seeksOthers = trace === undefined && known !== undefined && run.seeksUndeclared
    const turn = seeksOthers ? run.postponed.turn : 0
    let present = 0
    for (const { name, node, inherited } of fields) {
      if (inherited && !Object.hasOwn(value, name)) continue
      const part = value[name]
      // What is checked is plain JSON: an own field is never undefined.
      if (part === undefined) continue
      present++
      if (run.descend(node, part, name, trace)) continue
      if (run.quiet) return false
      ok = false
    }
    if (seeksOthers && keyCount(value) !== present)
      run.postponed.add(() => reportOthers(value, known, run), run.path, turn)
    if (!looksAtAll) return ok
    for (const key of Object.keys(value)) {
      const part = value[key]
      let isKnown = table?.names.has(key) === true
      for (const { pattern, node } of patterns ?? []) {
        if (!pattern.test(key)) continue
        isKnown = true
        trace?.match(key)
        if (!run.descend(node, part, key, trace)) ok = false
      }
      if (!isKnown && others !== undefined) {
        if (isClosed) ok = reportUnknown(run, key, () => choices)
        else if (!run.descend(others, part, key, trace)) ok = false
      }
      if (!ok && run.quiet) return false
    }
    return ok
  }
}

function declaredTable(site: Site): ObjectTable | undefined {
  const entries = entriesKeyword(site, 'properties')
  if (entries === undefined) return undefined
  const fields = entries.map(([name, schema]): DeclaredField => {
    const node = site.below(schema, 'properties', name)
    const fallback = site.facts.fallback(site.index.below(site, schema, 'properties', name))
    const field = { name, node, inherited: isInherited(name) }
    return fallback === undefined ? field : { ...field, fallback: { node, value: fallback.value } }
  })
  const names = new Set(fields.map((field) => field.name))
  return { fields, names, choices: new Choices(names) }
}

function patternFields(site: Site): readonly PatternField[] | undefined {
  return entriesKeyword(site, 'patternProperties')?.map(([pattern, schema]) => {
    const node = site.below(schema, 'patternProperties', pattern)
    return { pattern: preparePattern(pattern, node.pointer), node }
  })
}
