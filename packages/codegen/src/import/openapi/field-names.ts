import { unusedName } from '../../schema/canonical/unused-name.js'

/** A name that every model vendor takes for a field. */
const legal = /^[a-zA-Z0-9_.-]{1,64}$/

/** A name for a field of a payload, and why it is not the one that was wanted. */
export interface FieldName {
  readonly field: string
  readonly why?: string
}

/** Gives parameters and fields of a body names of their own in the one payload of a tool. */
export class FieldNames {
  readonly #taken = new Set<string>()

  /**
   * @param place what a name is told apart by where it was given before, e.g. `query`
   */
  claim(wanted: string, place: string): FieldName {
    const isLegal = legal.test(wanted) && wanted !== '__proto__'
    const plain = isLegal ? wanted : made(wanted)
    const isFree = !this.#taken.has(plain)
    const base = isFree ? plain : `${place}_${plain}`.slice(0, 60)
    const field = unusedName(base, (candidate) => !this.#taken.has(candidate))
    this.#taken.add(field)
    if (field === wanted) return { field }
    return { field, why: isLegal ? 'another field has its name' : 'models take no field of its name' }
  }
}

/** `filter[status]` → `filter_status`. */
function made(name: string): string {
  const words = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').replace(/^_+|_+$/g, '')
  return words.slice(0, 60) || 'field'
}
