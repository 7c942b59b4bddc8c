import { deepEqual } from '@toolgen/runtime/schema'
import { type Schema, without } from '../schema/json-schema.js'
import type { Definitions } from './change.js'
import type { ToolContract, ToolsetContract } from './contracts.js'

/** One contract that is gone, or new. */
export interface Candidate<Contract> {
  readonly name: string
  readonly contract: Contract
}

/** Of what is gone the name that it seems to have now, and of what is new the one that it seems to have had. */
export interface Renames {
  readonly to: ReadonlyMap<string, string>
  readonly from: ReadonlyMap<string, string>
}

/**
 * Finds what seems to be there under another name: where one alone of what is gone is like one alone of what is new.
 *
 * @param likeness from the closest to the loosest: what one of them leaves open another may decide
 */
export function renamesOf<Contract>(
  gone: readonly Candidate<Contract>[],
  added: readonly Candidate<Contract>[],
  likeness: readonly ((was: Contract, is: Contract) => boolean)[],
): Renames {
  const [to, from] = [new Map<string, string>(), new Map<string, string>()]
  for (const isLike of likeness) {
    const left = added.filter(({ name }) => !from.has(name))
    const likes = gone
      .filter(({ name }) => !to.has(name))
      .map((was) => ({ was, alike: left.filter((is) => isLike(was.contract, is.contract)) }))
    const claims = new Map<string, number>()
    for (const { name } of likes.flatMap(({ alike }) => alike)) claims.set(name, (claims.get(name) ?? 0) + 1)
    for (const { was, alike } of likes) {
      const [is, ...others] = alike
      if (is === undefined || others.length > 0 || claims.get(is.name) !== 1) continue
      to.set(was.name, is.name)
      from.set(is.name, was.name)
    }
  }
  return { to, from }
}

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
    sameSchemas(before, now) && deepEqual(without(before.about, names), without(now.about, names))
  return renamesOf(missingIn(is, was), missingIn(was, is), [sameContract, sameSchemas])
}

/** What a tool is called. */
const names = ['toolName', 'title']

function schemasOf({ arguments: sent, result, updates }: ToolContract): readonly Schema[] {
  return [sent, result, ...(updates === undefined ? [] : [updates])]
}

function missingIn(other: ToolsetContract, { tools }: ToolsetContract): readonly Candidate<ToolContract>[] {
  return [...tools.values()]
    .filter(({ name }) => !other.tools.has(name))
    .map((contract) => ({ name: contract.id, contract }))
}
