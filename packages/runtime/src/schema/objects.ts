import { Choices } from './choices.js'
import {
  ArrayTrace,
  type Check,
  type DeclaredField,
  type ObjectCheck,
  type ObjectTable,
  ObjectTrace,
  reportUnknown,
  type Site,
} from './evaluation.js'
import { factsOf } from './issue-list.js'
import { type IssueFacts, issueMessage } from './issue-messages.js'
import { pointerOf } from './json-pointer.js'
import { hasField, isFields, isInherited, keyCount } from './json-values.js'
import { entriesKeyword, keyword, namesKeyword, namesOf, SchemaError } from './keywords.js'
import { type ExpectedFacts, expectedFacts } from './literals.js'
import { prepareLength, preparePattern } from './strings.js'

/** Returns the checks of the keywords that apply to objects. */
export function prepareObjects(site: Site): readonly ObjectCheck[] {
  return [requiredCheck(site), fieldChecks(site), nameCheck(site), sizeCheck(site), dependencyCheck(site)].filter(
    (check) => check !== undefined,
  )
}

function requiredCheck(site: Site): ObjectCheck | undefined {
  const required = (namesKeyword(site, 'required') ?? []).map((name) => {
    const { description, expected } = factsOfField(site, name)
    const facts: IssueFacts = Object.freeze({ constraint: 'missing_field', field: name, ...expected })
    return { name, description, facts, message: issueMessage(facts), inherited: isInherited(name) }
  })
  if (required.length === 0) return undefined
  const own = new Set(entriesKeyword(site, 'properties')?.map(([name]) => name))
  // Names in `properties` are declared already.
  const undeclared = required.map(({ name }) => name).filter((name) => !own.has(name))
  return (value, run, trace) => {
    if (undeclared.length > 0) trace?.require(undeclared)
    let ok = true
    for (const { name, description, facts, message, inherited } of required) {
      if (hasField(value, name, inherited)) continue
      if (run.quiet) return false
      ok = run.report(facts, { name, description }, message)
    }
    return ok
  }
}

function sizeCheck(site: Site): ObjectCheck | undefined {
  const check = prepareLength(site, 'Properties')
  return check && ((value, run) => check(Object.keys(value).length, run))
}

function dependencyCheck(site: Site): ObjectCheck | undefined {
  const entries = entriesKeyword(site, 'dependentRequired')
  if (entries === undefined) return undefined
  const dependencies = entries.flatMap(([requiredBy, names]) => {
    const fields = namesOf(names)
    if (fields === undefined) {
      throw new SchemaError(`${site.pointer}/dependentRequired`, 'each entry must be an array of strings.')
    }
    return fields.map((field) => ({ requiredBy, field, description: factsOfField(site, field).description }))
  })
  return (value, run) => {
    let ok = true
    for (const { requiredBy, field, description } of dependencies) {
      if (!Object.hasOwn(value, requiredBy) || Object.hasOwn(value, field)) continue
      ok = run.report({ constraint: 'missing_dependency', field, requiredBy }, { name: field, description })
    }
    return ok
  }
}

function factsOfField(
  site: Site,
  name: string,
): { readonly description: string | undefined; readonly expected: ExpectedFacts } {
  const { facts } = site
  const field = facts.field(site, name)
  const admitted = facts.admittedField(site, name)
  if (field === undefined || admitted === undefined) return { description: undefined, expected: {} }
  const [description] = facts.declarations(site, name).flatMap((each) => facts.description(each) ?? [])
  return { description, expected: expectedFacts(admitted, facts.format(field)) }
}

/** Returns the check of `propertyNames`. If this keyword lists the allowed names, all other fields are reported as unknown. */
function nameCheck(site: Site): ObjectCheck | undefined {
  const schema = keyword(site.schema, 'propertyNames')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'propertyNames')
  const { literals } = site.facts.admitted(site.index.below(site, schema, 'propertyNames'))
  const allowed = literals && new Choices(literals.filter((name) => typeof name === 'string'))

  return (value, run) => {
    let ok = true
    for (const key of Object.keys(value)) {
      if (run.test(node, key, undefined)) continue
      ok = false
      if (run.quiet) return false
      if (allowed !== undefined) {
        reportUnknown(run, key, () => allowed)
        continue
      }
      run.path.push(key)
      const path = pointerOf(run.path)
      for (const issue of run.collect(() => node.check(key, run, undefined)).closed(path)) {
        const message = `Invalid field name: ${issue.message}`
        run.issues.add(factsOf(issue), { path, message, description: issue.description })
      }
      run.path.pop()
    }
    return ok
  }
}

/** Returns the check of `properties`, `patternProperties` and `additionalProperties`, which depend on each other. */
function fieldChecks(site: Site): ObjectCheck | undefined {
  const table = declaredTable(site)
  const patternEntries = site.patterns ? entriesKeyword(site, 'patternProperties') : undefined
  const patterns = patternEntries?.map(([pattern, schema]) => {
    const node = site.below(schema, 'patternProperties', pattern)
    return { pattern: preparePattern(pattern, node.pointer), node }
  })
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
    // Without a trace no other schema declares fields of this value, so undeclared fields can be reported here.
    const seeksOthers = trace === undefined && known !== undefined && run.seeksUndeclared
    const turn = seeksOthers ? run.postponed.turn : 0
    let present = 0
    for (const { name, node, inherited } of fields) {
      if (inherited && !Object.hasOwn(value, name)) continue
      const part = value[name]
      // Values are plain JSON, so an own field is never `undefined`.
      if (part === undefined) continue
      present++
      if (run.descend(node, part, name, trace)) continue
      if (run.quiet) return false
      ok = false
    }
    if (seeksOthers && keyCount(value) !== present) {
      const reportOthers = (): void => {
        for (const key in value) if (!known.names.has(key)) reportUnknown(run, key, () => known.choices)
      }
      run.postponed.add(reportOthers, run.path, turn)
    }
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

/** Returns the names in `properties`, then the names that are only in `required`. */
function knownNames(site: Site, table: ObjectTable): Pick<ObjectTable, 'names' | 'choices'> {
  const others = (namesKeyword(site, 'required') ?? []).filter((name) => !table.names.has(name))
  if (others.length === 0) return table
  const names = new Set([...table.names, ...others])
  return { names, choices: new Choices(names) }
}

/** Returns the checks of `unevaluatedProperties` and `unevaluatedItems`. They run last, with a trace of this schema alone. */
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
