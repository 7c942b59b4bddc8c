import { sameJson, without } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import type { ToolContract, ToolsetContract } from '../contracts/contracts.js'
import type { Definitions } from './definitions.js'
import { type Candidate, type Renames, renamesOf } from './renames.js'

/** The tools of a toolset that seem to have got another name: by their ids. */
export function renamedTools(was: ToolsetContract, is: ToolsetContract, { isSame }: Definitions): Renames {
  const sameSchemas = (before: ToolContract, now: ToolContract): boolean =>
    // What most tools differ in comes first: it is cheap to compare.
    before.serverOwned.length === now.serverOwned.length &&
    (before.updates === undefined) === (now.updates === undefined) &&
    schemasOf(before).every((schema, index) => isSame(schema, schemasOf(now)[index] ?? false)) &&
    before.serverOwned.every(({ field, from, schema }) =>
      now.serverOwned.some((other) => other.field === field && other.from === from && isSame(schema, other.schema)),
    )
  const sameContract = (before: ToolContract, now: ToolContract): boolean =>
    sameSchemas(before, now) && sameJson(without(before.about, names), without(now.about, names))
  return renamesOf(missingIn(is, was), missingIn(was, is), [sameContract, sameSchemas])
}

/** What a tool is called. */
const names = ['wireName', 'title']

function schemasOf({ arguments: sent, result, updates }: ToolContract): readonly Schema[] {
  return [sent, result, ...(updates === undefined ? [] : [updates])]
}

function missingIn(other: ToolsetContract, { tools }: ToolsetContract): readonly Candidate<ToolContract>[] {
  return [...tools.values()]
    .filter(({ name }) => !other.tools.has(name))
    .map((contract) => ({ name: contract.id, contract }))
}
