import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { nearest } from '../../diagnostics/near.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { resolveShape, type Shape, shapeOf } from '../../schema/shape/shape.js'
import { fieldSchema } from '../../schema/values/server-owned.js'

type Defs = Readonly<Record<string, Schema>>

const metaFields: readonly string[] = ['runId', 'sessionId', 'turnId', 'toolCallId', 'parentToolCallId']

/** A payload field that the runtime fills. */
export interface ServerOwnedField {
  readonly field: string
  readonly from: string
  readonly schema: Schema
}

/** The server-owned fields of a payload. */
export interface ServerOwned {
  readonly fields: readonly ServerOwnedField[]
  /** False when the payload does not declare one of them. */
  readonly isDeclared: boolean
}

/**
 * The server-owned fields of a payload with their schemas.
 *
 * @param owned payload field → field of the call's meta
 */
export function serverOwnedFields(
  owned: Readonly<Record<string, string>>,
  payload: Schema,
  defs: Defs,
  places: { readonly ofField: (field: string) => SourcePlace; readonly ofSource: (field: string) => SourcePlace },
): ServerOwned & { readonly diagnostics: readonly Diagnostic[] } {
  const fields: ServerOwnedField[] = []
  const diagnostics: Diagnostic[] = []
  for (const [field, from] of Object.entries(owned)) {
    const schema = fieldSchema(payload, field, defs)
    if (schema === undefined) diagnostics.push(unknownField(field, payload, defs, places.ofField(field)))
    else fields.push({ field, from, schema })
    if (!metaFields.includes(from) && !/^labels\..+$/s.test(from))
      diagnostics.push(unknownMeta(field, from, places.ofSource(field)))
  }
  return { fields, isDeclared: fields.length === Object.keys(owned).length, diagnostics }
}

/** Whether a payload is an object, or a union whose every variant is one. */
export function isObjectPayload(payload: Schema, defs: Defs): boolean {
  const isObject = (shape: Shape): boolean => {
    const resolved = resolveShape(shape, defs)
    if (resolved.kind === 'union') return resolved.variants.every(isObject)
    if (resolved.kind === 'intersection') return resolved.parts.every(isObject)
    return resolved.kind === 'object'
  }
  return isObject(shapeOf(payload, defs))
}

function unknownField(field: string, payload: Schema, defs: Defs, place: SourcePlace): Diagnostic {
  const shape = resolveShape(shapeOf(payload, defs), defs)
  const near = nearest(field, shape.kind === 'object' ? shape.fields.map(({ name }) => name) : [])
  const everywhere = shape.kind === 'union' ? ' in every variant' : ''
  return {
    code: 'TG2030',
    severity: 'error',
    message: `\`${field}\` is server-owned, but the payload does not declare it${everywhere}.`,
    place,
    next: near[0] === undefined ? 'Declare it as a direct field of the payload.' : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}

function unknownMeta(field: string, from: string, place: SourcePlace): Diagnostic {
  const near = nearest(from, metaFields)
  return {
    code: 'TG2031',
    severity: 'error',
    message: `\`${field}\` is filled from \`${from}\`, which is no field of a call's meta.`,
    place,
    next:
      near[0] === undefined ? `Take one of ${metaFields.join(', ')} or labels.NAME.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length === 0 ? {} : { near }),
  }
}
