import type { LibraryFindings, LibraryHooks } from './library.js'

/** Properties of an action of Valibot, with the converter's errors about it. */
interface ActionContext {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

interface SchemaContext {
  readonly valibotSchema: { readonly type: string; readonly fallback?: unknown }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

/** Actions that the library calls transformations and that leave the value alone. */
const harmless: readonly string[] = ['readonly', 'brand', 'flavor']

/** Actions that make a value of the same type: the schema before them describes the outcome. */
const sameType: readonly string[] = [
  ...['trim', 'trim_start', 'trim_end', 'normalize', 'to_lower_case', 'to_upper_case', 'to_min_value', 'to_max_value'],
  ...['filter_items', 'sort_items'],
]

const words: Readonly<Record<string, string>> = {
  date: 'a Date',
  bigint: 'a bigint',
  map: 'a Map',
  set: 'a Set',
  symbol: 'a symbol',
  undefined: '`undefined`',
  undefinedable: '`undefined`',
  void: '`void`',
  nan: 'NaN',
  custom: 'a custom type',
  instance: 'an instance of a class',
  function: 'a function',
  promise: 'a promise',
  blob: 'a Blob',
  file: 'a File',
}

/** Asks the converter of Valibot, which by itself stops at the first such part, what JSON Schema cannot say. */
export function valibotHooks(findings: LibraryFindings): LibraryHooks {
  const overrideAction = ({ valibotAction, jsonSchema, errors }: ActionContext): object | undefined => {
    const { kind, type, requirement } = valibotAction
    if (harmless.includes(type)) return jsonSchema
    if (kind === 'transformation') {
      findings.changes.add(`\`${type}\``)
      if (!sameType.includes(type)) findings.untyped.add(`\`${type}\``)
      return jsonSchema
    }
    if (requirement instanceof RegExp && type === 'regex' && /[ims]/.test(requirement.flags)) {
      findings.flags.add(String(requirement))
      return jsonSchema
    }
    if (kind !== 'validation' || errors === undefined) return undefined
    findings.refined = true
    return jsonSchema
  }
  const overrideSchema = ({ valibotSchema, jsonSchema, errors }: SchemaContext): object | undefined => {
    const { type } = valibotSchema
    if (Object.hasOwn(valibotSchema, 'fallback')) findings.changes.add('`fallback`')
    if (errors === undefined) return undefined
    findings.notJson.add(Object.hasOwn(words, type) ? (words[type] ?? type) : `\`${type}\``)
    return jsonSchema
  }
  return { options: { overrideAction, overrideSchema } }
}
