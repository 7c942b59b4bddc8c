import type { $ZodType, $ZodTypes } from 'zod/v4/core'
import { type JsType, wireForms } from '../json/js-type.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type SchemaFault } from '../json/schema-fault.js'
import { holdsTyped, withWireTexts } from '../json/wire-text.js'
import { isBytesCheck } from './bytes-check.js'
import type { Direction } from './library-schema.js'

/** The JavaScript type whose wire form stands for a Zod 4 schema: `z.date()`, `z.bigint()`, `z.instanceof(Uint8Array)`. */
export function zod4JsType(schema: $ZodType): JsType | undefined {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'date') return 'Date'
  if (def.type === 'bigint') return 'bigint'
  return def.type === 'custom' && isBytesCheck(def.fn) ? 'Uint8Array' : undefined
}

/** Writes the wire form of a typed schema into what Zod made of it, and typed defaults and examples as they travel. */
export function writeWireForm(schema: $ZodType, json: Record<string, unknown>, direction: Direction): void {
  const type = zod4JsType(schema)
  if (type !== undefined) Object.assign(json, wireForms[type])
  const { def } = (schema as $ZodTypes)._zod
  const isDefault = def.type === 'default' || (def.type === 'prefault' && direction === 'input')
  if (isDefault && holdsTyped(def.defaultValue)) {
    delete json['_prefault']
    json['default'] = withWireTexts(def.defaultValue)
  }
  if (holdsTyped(json['examples'])) json['examples'] = withWireTexts(json['examples'])
}

/** `x-js` that the design's own metadata gave: the schema of the library would still want what it always wanted. */
export function foreignJsType(
  schema: $ZodType,
  json: { readonly [key: string]: unknown },
  trail: readonly string[],
): SchemaFault | undefined {
  const { def } = (schema as $ZodTypes)._zod
  const isWrapper = 'innerType' in def || def.type === 'pipe' || def.type === 'lazy'
  if (!Object.hasOwn(json, 'x-js') || isWrapper || zod4JsType(schema) !== undefined) return undefined
  return {
    code: 'TG3018',
    severity: 'error',
    message: `The metadata ${atPointer(pointerOf(trail))} says \`x-js\`, which does not change what Zod wants.`,
    next: 'Write `z.date()`, `z.bigint()` or `z.instanceof(Uint8Array)` for a typed value.',
    trail,
  }
}
