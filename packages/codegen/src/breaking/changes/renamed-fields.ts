import { isSchema } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { keysOf } from '../../schema/json/pointer.js'
import type { Refusal } from '../inclusion/refusal.js'
import type { Definitions } from './definitions.js'
import { type Candidate, type Renames, renamesOf } from './renames.js'

/** The fields that seem to have got another name, each the only one that its object lost and got: by their pointers. */
export function renamedFields(gone: readonly Refusal[], added: readonly Refusal[], { isSame }: Definitions): Renames {
  const [lost, got] = [fieldsIn(gone), fieldsIn(added)]
  const single = [...lost].flatMap(([object, fields]) => {
    const [was, is] = [fields, got.get(object) ?? []]
    return was.length === 1 && is.length === 1 ? [{ was, is }] : []
  })
  const found = single.map(({ was, is }) => renamesOf(was, is, [isSame]))
  return {
    to: new Map(found.flatMap(({ to }) => [...to])),
    from: new Map(found.flatMap(({ from }) => [...from])),
  }
}

/** The name of a field, which its pointer ends with. */
export function fieldAt(pointer: string): string {
  return keysOf(pointer)?.at(-1) ?? pointer
}

/** The fields that one side alone has, by their objects. */
function fieldsIn(refusals: readonly Refusal[]): ReadonlyMap<string, readonly Candidate<Schema>[]> {
  const found = new Map<string, Candidate<Schema>[]>()
  for (const { aspect, pointer, taken, taker } of refusals) {
    const schema = taken ?? taker
    if (aspect !== 'field' || !isSchema(schema)) continue
    const object = pointer.slice(0, pointer.lastIndexOf('/'))
    const fields = found.get(object) ?? []
    fields.push({ name: pointer, contract: schema })
    found.set(object, fields)
  }
  return found
}
