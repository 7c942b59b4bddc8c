import type { IssueFacts } from '../issues/facts.js'
import { issueMessage } from '../issues/message.js'
import { hasField, isInherited } from '../json/own.js'
import { type ExpectedFacts, expectedFacts } from './expected.js'
import { fieldChecks } from './fields.js'
import { countKeyword, entriesKeyword, namesKeyword, namesOf } from './keywords.js'
import { lengthReport } from './length-report.js'
import { nameCheck } from './names.js'
import type { ObjectCheck } from './node.js'
import { SchemaError } from './schema-error.js'
import type { Site } from './site.js'

/** Prepares what constrains objects. */
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
  // What is declared here is known anyway.
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
  const minimum = countKeyword(site, 'minProperties')
  const maximum = countKeyword(site, 'maxProperties')
  if (minimum === undefined && maximum === undefined) return undefined
  const report = lengthReport('properties', minimum, maximum)
  return (value, run) => {
    const received = Object.keys(value).length
    if (received >= (minimum ?? 0) && received <= (maximum ?? received)) return true
    return report(received, run)
  }
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

/** What can be said about a field that is not there. */
function factsOfField(
  site: Site,
  name: string,
): { readonly description: string | undefined; readonly expected: ExpectedFacts } {
  const { facts } = site
  const field = facts.field(site, name)
  if (field === undefined) return { description: undefined, expected: {} }
  return { description: facts.description(field), expected: expectedFacts(facts.admitted(field), facts.format(field)) }
}
