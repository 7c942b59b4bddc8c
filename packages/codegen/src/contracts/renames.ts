import { deepEqual } from '@toolgen/runtime/schema'
import { isSchema, type Schema, without } from '../schema/json-schema.js'
import type { ToolContract, ToolsetContract } from './contracts.js'
import type { Definitions } from './definitions.js'
import type { Mismatch } from './mismatch.js'

interface Candidate<Contract> {
  readonly name: string
  readonly contract: Contract
}

interface Renames {
  readonly to: ReadonlyMap<string, string>
  readonly from: ReadonlyMap<string, string>
}

/** The tests in `likeness` must begin with the strictest one. */
function renamesOf<Contract>(
  gone: readonly Candidate<Contract>[],
  added: readonly Candidate<Contract>[],
  likeness: readonly ((before: Contract, after: Contract) => boolean)[],
): Renames {
  const [to, from] = [new Map<string, string>(), new Map<string, string>()]
  for (const isLike of likeness) {
    const left = added.filter(({ name }) => !from.has(name))
    const matches = gone
      .filter(({ name }) => !to.has(name))
      .map(({ name, contract }) => ({ name, alike: left.filter((each) => isLike(contract, each.contract)) }))
    const names = matches.flatMap(({ alike }) => alike.map((each) => each.name))
    for (const { name, alike } of matches) {
      const [other, ...more] = alike
      if (other === undefined || more.length > 0 || names.filter((each) => each === other.name).length > 1) continue
      to.set(name, other.name)
      from.set(other.name, name)
    }
  }
  return { to, from }
}

export function renamedFields(
  gone: readonly Mismatch[],
  added: readonly Mismatch[],
  definitions: Definitions,
): Renames {
  const [lost, got] = [fieldsIn(gone), fieldsIn(added)]
  const found = [...lost].map(([object, fields]) => {
    const others = got.get(object) ?? []
    const areSingle = fields.length === 1 && others.length === 1
    return renamesOf(areSingle ? fields : [], others, [(before, after) => definitions.isSame(before, after)])
  })
  return {
    to: new Map(found.flatMap(({ to }) => [...to])),
    from: new Map(found.flatMap(({ from }) => [...from])),
  }
}

function fieldsIn(mismatches: readonly Mismatch[]): ReadonlyMap<string, readonly Candidate<Schema>[]> {
  const found = new Map<string, Candidate<Schema>[]>()
  for (const { aspect, pointer, source, target } of mismatches) {
    const contract = source ?? target
    if (aspect !== 'field' || !isSchema(contract)) continue
    const object = pointer.slice(0, pointer.lastIndexOf('/'))
    const fields = found.get(object) ?? []
    fields.push({ name: pointer, contract })
    found.set(object, fields)
  }
  return found
}

export function renamedTools(before: ToolsetContract, after: ToolsetContract, definitions: Definitions): Renames {
  const isSame = (a: Schema, b: Schema): boolean => definitions.isSame(a, b)
  const schemasOf = ({ arguments: sent, result, updates }: ToolContract): readonly Schema[] => [
    sent,
    result,
    ...(updates === undefined ? [] : [updates]),
  ]
  const sameSchemas = (was: ToolContract, is: ToolContract): boolean =>
    // Cheap comparisons come first.
    was.serverOwned.length === is.serverOwned.length &&
    (was.updates === undefined) === (is.updates === undefined) &&
    schemasOf(was).every((schema, index) => isSame(schema, schemasOf(is)[index] ?? false)) &&
    was.serverOwned.every(({ field, from, schema }) =>
      is.serverOwned.some((other) => other.field === field && other.from === from && isSame(schema, other.schema)),
    )
  const names = ['toolName', 'title']
  const sameContract = (was: ToolContract, is: ToolContract): boolean =>
    sameSchemas(was, is) && deepEqual(without(was.about, names), without(is.about, names))
  const missingIn = (other: ToolsetContract, { tools }: ToolsetContract): readonly Candidate<ToolContract>[] =>
    [...tools.values()]
      .filter(({ name }) => !other.tools.has(name))
      .map((contract) => ({ name: contract.id, contract }))
  return renamesOf(missingIn(after, before), missingIn(before, after), [sameContract, sameSchemas])
}
