import { Choices } from './choices.js'
import {
  ArrayTrace,
  type Check,
  type DeclaredField,
  type ObjectCheck,
  type ObjectTable,
  ObjectTrace,
  pathItem,
  reportUnknown,
  type Site,
} from './evaluation.js'
import type { IssueFacts } from './issue-messages.js'
import { makeIssue } from './issues.js'
import { pointerToken } from './json-pointer.js'
import { hasField, isFields, isInherited, keyCount } from './json-values.js'
import { entriesKeyword, keyword, namesKeyword, namesOf, SchemaError } from './keywords.js'
import { type ExpectedFacts, expectedFacts } from './literals.js'
import { prepareLength, preparePattern } from './strings.js'

export function prepareObjects(site: Site): readonly ObjectCheck[] {
  const checks = [fieldChecks(site, requiredCheck(site)), nameCheck(site), sizeCheck(site), dependencyCheck(site)]
  return checks.filter((check) => check !== undefined)
}

function requiredCheck(site: Site): ObjectCheck | undefined {
  const required = (namesKeyword(site, 'required') ?? []).map((name) => {
    const { description, expected } = factsOfField(site, name)
    const facts: IssueFacts = { constraint: 'missing_field', field: name, ...expected }
    return {
      name,
      token: pointerToken(name),
      description,
      issue: makeIssue(facts, { path: '' }),
      inherited: isInherited(name),
    }
  })
  if (required.length === 0) return undefined
  const own = new Set(entriesKeyword(site, 'properties')?.map(([name]) => name))
  // Names in `properties` are declared already.
  const undeclared = required.map(({ name }) => name).filter((name) => !own.has(name))
  return (value, run, trace) => {
    if (undeclared.length > 0) trace?.require(undeclared)
    let ok = true
    for (const { name, token, description, issue, inherited } of required) {
      if (hasField(value, name, inherited)) continue
      if (run.quiet) return false
      ok = run.add({ ...issue, path: run.pointer + token }, description)
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
  const allowed = facts.allowedInField(site, name)
  if (field === undefined || allowed === undefined) return { description: undefined, expected: {} }
  const [description] = facts.declarations(site, name).flatMap((each) => facts.description(each) ?? [])
  return { description, expected: expectedFacts(allowed, facts.format(field)) }
}

function nameCheck(site: Site): ObjectCheck | undefined {
  const schema = keyword(site.schema, 'propertyNames')
  if (schema === undefined) return undefined
  const node = site.below(schema, 'propertyNames')
  const { literals } = site.facts.allowed(site.index.below(site, schema, 'propertyNames'))
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
      run.path.push(pathItem(key))
      const path = run.pointer
      for (const issue of run.collect(() => node.check(key, run, undefined)).closed(path)) {
        const message = `Invalid field name: ${issue.message}`
        run.issues.add({ ...issue, path, message })
      }
      run.path.pop()
    }
    return ok
  }
}

function fieldChecks(site: Site, required: ObjectCheck | undefined): ObjectCheck | undefined {
  const table = declaredTable(site)
  const patternEntries = site.patterns ? entriesKeyword(site, 'patternProperties') : undefined
  const patterns = patternEntries?.map(([pattern, schema]) => {
    const node = site.below(schema, 'patternProperties', pattern)
    return { pattern: preparePattern(pattern, node.pointer), node }
  })
  const additional = keyword(site.schema, 'additionalProperties')
  const others = additional === undefined ? undefined : site.below(additional, 'additionalProperties')
  const isClosed = additional === false
  if (table === undefined && patterns === undefined && others === undefined) return required
  const isAlwaysChecked = namesKeyword(site, 'required')?.some((name) => table?.names.has(name) !== true) === true
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
    let present = 0
    let missesRequired = isAlwaysChecked
    let open = 0
    for (const { name, node, inherited, isRequired, bit } of fields) {
      // Values are plain JSON, so an own field is never `undefined`.
      const part = inherited && !Object.hasOwn(value, name) ? undefined : value[name]
      if (part === undefined) missesRequired ||= isRequired
      else {
        present++
        if (node.rule?.fits(part) !== true) open |= bit
      }
    }
    if (missesRequired && required?.(value, run, trace) === false) {
      if (run.quiet) return false
      ok = false
    }
    // Without a trace, no other schema declares fields of this value. Undeclared fields can therefore be reported here.
    if (trace === undefined && known !== undefined && run.seeksUndeclared && keyCount(value) !== present) {
      run.postponed.add(() => {
        for (const key in value) if (!known.names.has(key)) reportUnknown(run, key, () => known.choices)
      }, run.path)
    }
    if (open !== 0) {
      for (const { name, token, node, inherited, bit } of fields) {
        const part = (open & bit) === 0 || (inherited && !Object.hasOwn(value, name)) ? undefined : value[name]
        if (part === undefined || run.descend(node, part, name, trace, token)) continue
        if (run.quiet) return false
        ok = false
      }
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
  const required = new Set(namesKeyword(site, 'required'))
  const fields = entries.map(([name, schema], index): DeclaredField => {
    const node = site.below(schema, 'properties', name)
    const fallback = site.facts.fallback(site.index.below(site, schema, 'properties', name))
    return {
      name,
      token: pointerToken(name),
      node,
      inherited: isInherited(name),
      isRequired: required.has(name),
      bit: 1 << index,
      fallback: fallback && { node, value: fallback.value },
    }
  })
  const names = new Set(fields.map((field) => field.name))
  return { fields, names, choices: new Choices(names) }
}

function knownNames(site: Site, table: ObjectTable): Pick<ObjectTable, 'names' | 'choices'> {
  const others = (namesKeyword(site, 'required') ?? []).filter((name) => !table.names.has(name))
  if (others.length === 0) return table
  const names = new Set([...table.names, ...others])
  return { names, choices: new Choices(names) }
}

/** These checks must run last, because the other checks of the schema record in the {@link Trace} which fields and items they have evaluated. */
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
